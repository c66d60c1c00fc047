"""The API page is made without a warning, and what is not documented would be one."""

import pathlib
import re
import subprocess
import sys
import tempfile

import summand_testing

ROOT, BUILD = summand_testing.ROOT, summand_testing.BUILD


def doxygen(settings):
    return subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, capture_output=True, text=True)


def checks_can_fail():
    """A public function without a word about it, and one with a parameter forgotten, are refused."""
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder) / "x.hpp"
        for line in ["int f(int a);", "/// Does. @param a  one\nint f(int a, int b);"]:
            header.write_text(f"/// Here.\nnamespace here {{\n{line}\n}}\n")
            result = doxygen(f"@INCLUDE = docs/Doxyfile\nINPUT = {header}\nOUTPUT_DIRECTORY = {folder}\nUSE_MDFILE_AS_MAINPAGE =\nHTML_EXTRA_STYLESHEET =\n")
            assert result.returncode != 0 and "not documented" in result.stderr, result


def main():
    checks_can_fail()
    result = subprocess.run([BUILD / "docs" / "run_doxygen"], capture_output=True, text=True)
    print(result.stderr, end="")
    if result.returncode != 0:
        return 1
    html = BUILD / "docs" / "html"
    pages = {path.name for path in html.glob("*.html")}
    page = "".join(path.read_text() for path in html.glob("*.html"))
    names = set()
    for header in (ROOT / "include/summand").glob("*.hpp"):
        names |= set(re.findall(r"^(?:struct|class|enum class) (\w+) [:{]", header.read_text(), re.MULTILINE))
    missing = [name for name in sorted(names) if not re.search(rf"\b{name}\b", page)]
    print(f"{len(pages)} pages, {len(names)} public types, missing: {missing}")
    return 1 if missing or len(names) < 30 or "index.html" not in pages else 0


if __name__ == "__main__":
    sys.exit(main())
