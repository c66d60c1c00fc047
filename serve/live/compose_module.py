"""compose_module.py OUT.js theme.json FILE.js…: scripts of the report's page as one module, which exports all that they define."""

import pathlib
import re
import sys

DEFINED = re.compile(r"^(?:const|let|(?:async )?function) (\w+)", re.MULTILINE)


def main():
    out, theme, *files = map(pathlib.Path, sys.argv[1:])
    scripts = [file.read_text(encoding="utf-8") for file in files]
    names = [name for script in scripts for name in DEFINED.findall(script)]
    parts = [
        "// Made by compose_module.py of the report's scripts.",
        'let language = "en";',
        "const set_language = (to) => { language = to; };",
        f"const data = {{ theme: {theme.read_text(encoding='utf-8').strip()} }};",
        *scripts,
        f"export {{ set_language, {', '.join(names)} }};\n",
    ]
    out.write_text("\n".join(parts), encoding="utf-8")


main()
