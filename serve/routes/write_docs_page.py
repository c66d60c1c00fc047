"""write_docs_page.py OPENAPI.json STYLE.css OUT.html POLICY.txt: the page /docs, and the Content-Security-Policy under which
it works. The page asks the network for nothing and has no script."""

import base64
import hashlib
import html
import json
import pathlib
import re
import sys

WIDEST = 96  # characters of a line of JSON
ADDRESS = "localhost:8080"


def lines_of(value, depth=0):
    """JSON whose short objects and arrays take one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(flat) + 2 * depth <= WIDEST:
        return flat
    inside = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{inside}{json.dumps(name)}: {lines_of(one, depth + 1)}" for name, one in value.items()]
    else:
        parts = [inside + lines_of(one, depth + 1) for one in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return f"{ends[0]}\n" + ",\n".join(parts) + f"\n{'  ' * depth}{ends[1]}"


class Page:
    def __init__(self, api):
        self.api = api
        self.operations = [
            (method, path, operation) for path, methods in api["paths"].items() for method, operation in methods.items()
        ]
        self.links = {f"{method.upper()} {path}": operation["operationId"] for method, path, operation in self.operations}

    # Text

    def prose(self, text):
        """Text with `code` and **bold**; a route's name becomes a link."""

        def code(match):
            name = match[1]
            shown = f"<code>{html.escape(html.unescape(name))}</code>"
            link = self.links.get(html.unescape(name))
            return f'<a href="#{link}">{shown}</a>' if link else shown

        bold = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", html.escape(text, quote=False))
        return re.sub(r"`([^`]+)`", code, bold)

    def paragraphs(self, text):
        return "".join(f"<p>{self.prose(one)}</p>\n" for one in text.split("\n\n"))

    # Schemas

    def resolve(self, node):
        """What a reference refers to; what stands beside the reference prevails."""
        while "$ref" in node:
            target = self.api
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = {**target, **{name: value for name, value in node.items() if name != "$ref"}}
        return node

    def kind(self, schema):
        """A field's type in words."""
        schema = self.resolve(schema)
        types = schema.get("type", "")
        types = [one for one in ([types] if isinstance(types, str) else types) if one != "null"] or ["null"]
        if "const" in schema:
            return f"`{schema['const']}`"
        if "title" in schema and types != ["object"]:
            return schema["title"]
        if types == ["integer"] and "minimum" in schema and "maximum" not in schema and schema["minimum"] > 0:
            return f"integer from {schema['minimum']}"
        if types == ["array"]:
            return f"list of {self.kind(schema['items'])}s"
        return {"boolean": "true or false", "object": "object", "": "any"}.get(types[0], types[0])

    def fields(self, schema, prefix=""):
        """(name, schema, whether it is required) of every field, those of inner objects under dotted names."""
        schema = self.resolve(schema)
        for name, one in schema.get("properties", {}).items():
            full = f"{prefix}.{name}" if prefix else name
            inner = self.resolve(one)
            below = list(self.fields_below(inner, full))
            if below and "description" not in inner:
                yield from below
                continue
            yield full, one, name in schema.get("required", ())
            yield from below

    def fields_below(self, schema, prefix):
        if "properties" in schema and schema.get("maxProperties") != 1:  # else its description lists them
            yield from self.fields(schema, prefix)
        elif "items" in schema:
            yield from self.fields_below(self.resolve(schema["items"]), f"{prefix}[]")

    def fields_of_answer(self, schema):
        """Those of one item, where the answer is a list; of the first form, where it has several."""
        schema = self.resolve(schema)
        if "properties" in schema:
            return list(self.fields(schema))
        inner = schema.get("items") or schema.get("anyOf", [None])[0]
        return self.fields_of_answer(inner) if inner else []

    def row(self, name, schema, required, tells_need):
        schema = self.resolve(schema)
        may_be_null = not tells_need and "null" in schema.get("type", "") and schema["type"] != "null"
        notes = [self.prose(self.kind(schema)) + (" or null" if may_be_null else "")]
        if tells_need and required:
            notes.append("<b>required</b>")
        if "default" in schema:
            notes.append(f"default <code>{html.escape(json.dumps(schema['default']).strip(chr(34)))}</code>")
        name = re.sub(r"[._]", r"\g<0><wbr>", html.escape(name))
        cells = [f"<code>{name}</code>", "".join(f"<span>{note}</span>" for note in notes), self.prose(schema.get("description", ""))]
        return self.table_row(cells)

    @staticmethod
    def table_row(cells):
        first, *rest = cells
        return f'<tr role="row"><th role="rowheader" scope="row">{first}</th>' + "".join(
            f'<td role="cell">{cell}</td>' for cell in rest) + "</tr>\n"

    def table(self, name, columns, rows):
        kind = "status" if columns[0] == "Status" else f"of{len(columns)}"
        heads = "".join(f'<th role="columnheader" scope="col">{column}</th>' for column in columns)
        return (f'<table role="table" class="{kind}" aria-label="{html.escape(name)}"><thead role="rowgroup">'
                f'<tr role="row">{heads}</tr></thead>\n<tbody role="rowgroup">\n{"".join(rows)}</tbody></table>\n')

    # A route

    def curl(self, method, path, operation):
        for parameter in map(self.resolve, operation.get("parameters", [])):
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", parameter["example"])
        line = f"curl {ADDRESS}{path}"
        if method == "post":
            body = json.dumps(operation["requestBody"]["content"]["application/json"]["example"], ensure_ascii=False)
            assert "'" not in body, f"{path}: a quote in the example"
            line += f" \\\n  -d '{body}'"
        return line

    def example(self, method, path, operation):
        answer = self.resolve(operation["responses"]["200"])
        yield f'<h4>Example</h4>\n<pre>{html.escape(self.curl(method, path, operation), quote=False)}</pre>\n'
        by_type = answer.get("content", {})
        shown = next(iter(by_type.values()))["example"] if by_type else ""
        if not by_type:
            yield '<p class="of">The answer: 200, without a body.</p>\n'
        elif next(iter(by_type)).startswith("text/html"):
            yield '<p class="of">The answer: an HTML page.</p>\n'
        else:
            model = operation.get("x-example-model")
            whose = f", with the model {html.escape(model)}" if model else ""
            text = shown if isinstance(shown, str) else lines_of(shown)
            yield f'<p class="of">The answer{whose}:</p>\n<pre>{html.escape(text.rstrip(), quote=False)}</pre>\n'

    def answer(self, operation):
        by_type = self.resolve(operation["responses"]["200"]).get("content", {})
        if "application/json" not in by_type:
            return
        schema = by_type["application/json"]["schema"]
        fields = self.fields_of_answer(schema)
        text = self.resolve(schema).get("description", "")
        if not text and (not fields or "anyOf" in self.resolve(schema)):
            return
        yield "<h4>Answer</h4>\n"
        if text:
            yield self.paragraphs(text)
        if fields:
            rows = [self.row(*one, tells_need=False) for one in fields]
            yield self.table("Fields of the answer", ("Field", "Type", "Meaning"), rows)

    def errors(self, operation):
        faults = [(status, self.resolve(one)) for status, one in operation["responses"].items() if status != "200"]
        if not faults:
            return
        codes = " ".join(f"<span>{status}</span>" for status, _ in faults)
        yield f'<details><summary>Errors <span class="codes">{codes}</span></summary>\n<dl>\n'
        for status, fault in faults:
            yield f"<dt>{status}</dt><dd>{self.prose(fault['description'])}</dd>\n"
        dialect = next(one["$ref"] for one in operation["responses"].values() if "$ref" in one).split("/")[-1].split("_")[0]
        yield f'</dl>\n<p class="of"><a href="#errors_{dialect}">Their form</a></p></details>\n'

    def route(self, method, path, operation):
        name = operation["operationId"]
        free = operation.get("security") == []
        yield f'<section class="route" id="{name}" aria-labelledby="{name}_title">\n<h3 id="{name}_title">'
        yield f'<a href="#{name}"><b class="{method}">{method.upper()}</b> <code>{html.escape(path)}</code></a></h3>\n'
        yield f'<p class="summary">{self.prose(operation["summary"])}</p>\n'
        yield f'<p class="clients"><b>Clients</b> {self.prose(operation["x-clients"])}'
        yield " <b>Key</b> never needed." if free else ""
        yield "</p>\n"
        if "description" in operation:
            yield self.paragraphs(operation["description"])
        if "x-same-as" not in operation:
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            fields = list(self.fields(schema)) if schema else []
            if fields:
                yield "<h4>Request</h4>\n"
                rows = [self.row(*one, tells_need=True) for one in fields]
                yield self.table("Fields of the request", ("Field", "Type", "Meaning"), rows)
            yield from self.answer(operation)
        yield from self.example(method, path, operation)
        yield from self.errors(operation)
        yield "</section>\n"

    # The page

    def headers(self):
        rows = [self.table_row([f"<code>{name}</code>", self.prose(one["description"])])
                for name, one in self.api["components"]["headers"].items()]
        yield '<section id="headers" aria-labelledby="headers_title"><h2 id="headers_title">Headers of answers</h2>\n'
        yield self.paragraphs("Every answer has X-Request-Id. Counts and times come with the answers of routes that compute.")
        yield self.table("Headers of answers", ("Header", "Meaning"), rows) + "</section>\n"

    def forms_of_errors(self):
        about = self.api["x-errors"]
        yield '<section id="errors" aria-labelledby="errors_title"><h2 id="errors_title">Errors</h2>\n'
        yield self.paragraphs(about["text"])
        for dialect in about["dialects"]:
            name = dialect["name"]
            rows = []
            for key, response in self.api["components"]["responses"].items():
                if key.startswith(f"{name}_"):
                    body = html.escape(json.dumps(response["content"]["application/json"]["example"], ensure_ascii=False), quote=False)
                    rows.append(self.table_row([key.split("_")[1], f"{self.prose(response['description'])}<code class=\"body\">{body}</code>"]))
            yield f'<h3 id="errors_{name}">{html.escape(dialect["title"])}</h3>\n'
            yield self.table(dialect["title"], ("Status", "When, and for example"), rows)
        yield '<h3 id="errors_everywhere">Of every route</h3>\n'
        rows = [self.table_row([str(one["status"]), self.prose(one["when"])]) for one in about["everywhere"]]
        yield self.table("Errors of every route", ("Status", "When"), rows) + "</section>\n"

    def navigation(self):
        yield '<nav aria-label="Routes">\n'
        for tag in self.api["tags"]:
            yield f'<h2>{html.escape(tag["name"])}</h2>\n<ul>\n'
            for method, path, operation in self.operations:
                if tag["name"] in operation["tags"]:
                    yield (f'<li><a href="#{operation["operationId"]}"><b class="{method}">{method.upper()}</b> '
                           f"<code>{html.escape(path)}</code></a></li>\n")
            yield "</ul>\n"
        yield '<h2>All routes</h2>\n<ul>\n<li><a href="#headers">Headers of answers</a></li>\n'
        yield '<li><a href="#errors">Errors</a></li>\n</ul>\n</nav>\n'

    def body(self):
        info = self.api["info"]
        yield '<a class="skip" href="#main">Skip to the routes</a>\n<div class="side">\n'
        yield f'<p class="brand"><b>{html.escape(info["title"])}</b> <span>{html.escape(info["version"])}</span></p>\n'
        yield from self.navigation()
        yield '</div>\n<main id="main" tabindex="-1">\n'
        yield f'<h1>{html.escape(info["summary"])}</h1>\n'
        yield self.paragraphs(info["description"])
        key = "  -H \"Authorization: Bearer $KEY\""
        yield f'<p>With a key, add to every command below:</p>\n<pre>{html.escape(key.strip(), quote=False)}</pre>\n'
        yield '<p>The same for programs: <a href="openapi.json">openapi.json</a>.</p>\n'
        for tag in self.api["tags"]:
            yield f'<h2>{html.escape(tag["name"])}</h2>\n{self.paragraphs(tag["description"])}'
            for one in self.operations:
                if tag["name"] in one[2]["tags"]:
                    yield from self.route(*one)
        yield from self.headers()
        yield from self.forms_of_errors()
        yield "</main>\n"

    def text(self, style):
        return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f'<meta name="color-scheme" content="light dark">\n'
                f'<title>{html.escape(self.api["info"]["title"])}</title>\n<style>{style}</style>\n</head>\n<body>\n'
                + "".join(self.body()) + "</body>\n</html>\n")


def policy(style):
    """Nothing is allowed but the page's own style."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def main():
    api, style, page, header = map(pathlib.Path, sys.argv[1:])
    text = style.read_text(encoding="utf-8")
    page.write_text(Page(json.loads(api.read_text(encoding="utf-8"))).text(text), encoding="utf-8")
    header.write_text(policy(text), encoding="utf-8")


if __name__ == "__main__":
    main()
