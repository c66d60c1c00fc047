"""compose_claims.py OUT.json DOCUMENT.json…: the claims that a checkpoint can be judged by, for the page's menu: of the document about the sum first."""

import json
import pathlib
import sys

ABOUT_THE_SUM = "003"


def main():
    out, *files = map(pathlib.Path, sys.argv[1:])
    documents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    documents.sort(key=lambda document: document["name"] != ABOUT_THE_SUM)
    claims = [claim for document in documents for claim in document["claims"] if claim.get("evidence") != "trained_controls"]
    text = json.dumps([{"id": claim["id"], "says": claim["brief"]} for claim in claims], ensure_ascii=False, indent=1)
    out.write_text(text + "\n", encoding="utf-8")


main()
