"""embed_assets.py OUT.cpp FILE…: C++ that defines summand::lab::assets::NAME_EXT for each file, its text."""

import pathlib
import sys

MOST = 16000  # bytes of a piece: compilers need not take longer literals


def literals(text):
    """The text as raw literals, one after another: the compiler joins them."""
    data, pieces = text.encode(), []
    while data:
        end = min(MOST, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:  # not within a character
            end -= 1
        pieces.append(data[:end].decode())
        data = data[end:]
    for piece in pieces:
        assert ')SUMMAND"' not in piece
    return "\n".join(f'R"SUMMAND({piece})SUMMAND"' for piece in pieces) or '""'


def main():
    out, *files = map(pathlib.Path, sys.argv[1:])
    parts = ['// Made by embed_assets.py.\n#include "lab/report/assets.hpp"\n\nnamespace summand::lab::assets {\n']
    for file in files:
        text = file.read_text(encoding="utf-8")
        name = file.name.replace(".", "_")
        parts.append(f"const std::string_view {name}{{{literals(text)}, {len(text.encode())}}};\n")
    parts.append("}  // namespace summand::lab::assets\n")
    out.write_text("\n".join(parts), encoding="utf-8")


main()
