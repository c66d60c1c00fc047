"""The committed Unicode tables are what the generator writes from the installed package."""

import pathlib
import subprocess
import sys
import tempfile

import summand_testing

FOLDER = summand_testing.ROOT / "src" / "text" / "unicode_tables"


def main():
    with tempfile.TemporaryDirectory() as directory:
        output = pathlib.Path(directory) / "unicode_data.cpp"
        subprocess.run([sys.executable, FOLDER / "generate.py", "--output", output], check=True)
        written, committed = output.read_text(), (FOLDER / "unicode_data.cpp").read_text()
    print(f"{len(written)} characters written, {len(committed)} committed")
    if written != committed:
        sys.exit("unicode_data.cpp is not what generate.py writes: run src/text/unicode_tables/generate.py")


if __name__ == "__main__":
    main()
