"""embed_files.py assets OUT.cpp FILE…: C++ that defines summand::lab::assets::NAME_EXT for each file, its text.
embed_files.py strings OUT.cpp HEADER NAMESPACE FILE…: likewise in another namespace, which the header declares.
embed_files.py words_files OUT.cpp FOLDER/words.json…: C++ that defines summand::lab::words_files(), their texts.
embed_files.py text OUT.cpp HEADER NAME FILE: C++ that defines summand::lab::NAME(), the file's text.
embed_files.py json OUT.cpp HEADER NAME FILE…: likewise, one JSON array of the files.
embed_files.py files OUT.cpp HEADER NAMESPACE TYPE NAME FILE…: C++ that defines NAME() there, a span of TYPE{name, text}."""

import json
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


def view(text):
    return f"{{{literals(text)}, {len(text.encode())}}}"


def strings(arguments):
    header, namespace, *files = arguments
    yield f'// Made by embed_files.py.\n#include "{header}"\n\nnamespace {namespace} {{\n'
    for file in files:
        yield f"const std::string_view {file.name.replace('.', '_')}{view(file.read_text(encoding='utf-8'))};\n"
    yield f"}}  // namespace {namespace}\n"


def assets(files):
    return strings(["lab/report/assets.hpp", "summand::lab::assets", *files])


def function(header, name, text):
    yield f'// Made by embed_files.py.\n#include "{header}"\n\nnamespace summand::lab {{\n'
    yield f"std::string_view {name}() {{\n  static constexpr std::string_view text{view(text)};"
    yield "  return text;\n}\n}  // namespace summand::lab\n"


def text(arguments):
    header, name, file = arguments
    yield from function(header, name, file.read_text(encoding="utf-8"))


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"one of {names} stands twice")
    return dict(pairs)


def parsed(file):
    try:
        return json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=once)
    except ValueError as error:
        sys.exit(f"{file}: {error}")


def compact(tree):
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def json_array(arguments):
    header, name, *files = arguments
    yield from function(header, name, compact([parsed(file) for file in files]))


def words_files(files):
    yield '// Made by embed_files.py.\n#include "lab/core/words_files.hpp"\n\nnamespace summand::lab {\n'
    yield "std::span<const WordsFile> words_files() {\n  static constexpr WordsFile list[] = {"
    for file in files:
        yield f'{{"{file.parent.name}", {view(compact(parsed(file)))}}},'
    yield "};\n  return list;\n}\n}  // namespace summand::lab\n"


def named_files(arguments):
    header, namespace, kind, name, *files = map(str, arguments)
    files = list(map(pathlib.Path, files))
    yield f'// Made by embed_files.py.\n#include "{header}"\n\nnamespace {namespace} {{\n'
    yield f"std::span<const {kind}> {name}() {{\n  static constexpr {kind} list[] = {{"
    for file in files:
        yield f'{{"{file.name}", {view(file.read_text(encoding="utf-8"))}}},'
    yield f"}};\n  return list;\n}}\n}}  // namespace {namespace}\n"


def main():
    kind, out, *files = sys.argv[1:]
    make = {
        "assets": assets,
        "strings": strings,
        "text": text,
        "json": json_array,
        "files": named_files,
        "words_files": words_files,
    }[kind]
    pathlib.Path(out).write_text("\n".join(make(list(map(pathlib.Path, files)))), encoding="utf-8")


main()
