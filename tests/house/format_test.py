"""Every C++ file is formatted as .clang-format says, by the pinned clang-format-14."""

import subprocess
import sys

import summand_testing

root = summand_testing.ROOT
files = [
    str(path)
    for folder in ("include", "src", "cli", "lab", "serve", "train", "tests", "bench", "examples", "fuzz")
    for pattern in ("*.cpp", "*.hpp")
    for path in sorted((root / folder).rglob(pattern))
]
assert len(files) > 40, len(files)
result = subprocess.run(["clang-format-14", "--dry-run", "--Werror", *files], cwd=root, capture_output=True, text=True)
print(result.stderr[:4000])
print(f"{len(files)} files, clang-format {'found nothing' if result.returncode == 0 else 'wants changes: make format'}")
sys.exit(result.returncode)
