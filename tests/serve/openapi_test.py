"""openapi.json is valid, its examples are what its schemas say, and it describes the routes, fields, headers and errors that
the sources have. The page made of it shows every route and needs nothing but itself."""

import base64
import hashlib
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import openapi_spec_validator
import summand_testing

ROOT = summand_testing.ROOT
ROUTES = ROOT / "serve" / "routes"
API = json.loads((ROUTES / "openapi.json").read_text(encoding="utf-8"))


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def routes_of_router():
    """(method, path, dialect, access) of every row of the router's table but the live page's, which are its own."""
    table = re.search(r"kRoutes = std::to_array<Route>\(\{(.*?)\n\}\);", source("serve/routes/router.cpp"), re.DOTALL)[1]
    rows = re.findall(r'\{"(\w+)", "([^"]+)", Dialect::(\w+), "\w*",\s*Access::(\w+), [\w:]+\}', table)
    assert len(rows) == table.count("Dialect::") > 20, (len(rows), table.count("Dialect::"))
    return [row for row in rows if row[3] != "page"]


def documented_path(path):
    """A path that ends with "/" takes a name behind it."""
    return path + "{model}" if len(path) > 1 and path.endswith("/") else path


def operations():
    for path, methods in API["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def resolve(node):
    while "$ref" in node:
        target = API
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def check(schema, example):
    jsonschema.Draft202012Validator({**schema, "components": API["components"]}).validate(example)


def fields_of(schema):
    """Names of the fields of a request, those of inner objects included."""
    schema = resolve(schema)
    for name, one in schema.get("properties", {}).items():
        yield name
        yield from fields_of(one)
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from fields_of(inner)


def body_of(operation):
    return operation["requestBody"]["content"]["application/json"]


def returned(function, text):
    """The strings that a function of a source returns."""
    code = re.search(rf"{function}\([^)]*\) {{\n(.*?)\n}}\n", text, re.DOTALL)[1]
    return set(re.findall(r'"([^"]+)"', "\n".join(line for line in code.splitlines() if "return" in line)))


class Description(unittest.TestCase):
    def test_it_is_valid_openapi(self):
        openapi_spec_validator.OpenAPIV31SpecValidator(API).validate()

    def test_a_fault_in_it_would_be_found(self):
        broken = json.loads(json.dumps(API))
        del broken["paths"]["/embed"]["post"]["responses"]
        broken["paths"]["/embed"]["post"]["parameters"] = [{"name": "x"}]
        with self.assertRaises(Exception):
            openapi_spec_validator.OpenAPIV31SpecValidator(broken).validate()

    def test_it_has_the_routes_of_the_router(self):
        expected = {(method, documented_path(path)) for method, path, _, _ in routes_of_router()}
        self.assertEqual({(method, path) for method, path, _ in operations()}, expected)

    def test_a_key_is_asked_for_where_the_router_asks(self):
        for method, path, _, access in routes_of_router():
            operation = API["paths"][documented_path(path)][method.lower()]
            self.assertEqual(operation.get("security", API["security"]), [] if access == "free" else [{"key": []}], path)
            self.assertEqual("401" in operation["responses"], access == "with_key", path)

    def test_errors_are_in_the_dialect_of_the_route(self):
        for method, path, dialect, _ in routes_of_router():
            for status, response in API["paths"][documented_path(path)][method.lower()]["responses"].items():
                if status != "200":
                    self.assertEqual(response["$ref"], f"#/components/responses/{dialect}_{status}", path)

    def test_it_is_of_this_version(self):
        numbers = re.findall(r"#define SUMMAND_VERSION_\w+ (\d+)", source("include/summand/version.hpp"))
        self.assertEqual(API["info"]["version"], ".".join(numbers))

    def test_every_name_is_used_once_or_more(self):
        text = json.dumps(API)
        for kind in ("schemas", "responses", "headers", "parameters"):
            for name in API["components"][kind]:
                self.assertIn(f'"#/components/{kind}/{name}"', text)
        identifiers = [operation["operationId"] for _, _, operation in operations()]
        self.assertEqual(len(identifiers), len(set(identifiers)))


class Examples(unittest.TestCase):
    def test_every_route_has_examples_that_its_schemas_take(self):
        for method, path, operation in operations():
            with self.subTest(path):
                if method == "POST":
                    check(body_of(operation)["schema"], body_of(operation)["example"])
                for response in map(resolve, operation["responses"].values()):
                    for content in response.get("content", {}).values():
                        check(content["schema"], content["example"])

    def test_examples_of_headers_and_parameters_and_defaults_too(self):
        for one in (*API["components"]["headers"].values(), *API["components"]["parameters"].values()):
            check(one["schema"], one["example"])
        for name, schema in API["components"]["schemas"].items():
            for field, one in schema.get("properties", {}).items():
                if "default" in one:
                    with self.subTest(f"{name}.{field}"):
                        check(one, one["default"])

    def test_null_is_taken_for_every_field_that_may_be_missing(self):
        for name, schema in API["components"]["schemas"].items():
            if "Request" not in name:
                continue
            for field, one in schema.get("properties", {}).items():
                if field not in schema.get("required", ()):
                    with self.subTest(f"{name}.{field}"):
                        check(one, None)

    def test_schemas_refuse_what_the_routes_refuse(self):
        for name, body in {
            "EmbedRequest": {"inputs": []},
            "OpenaiEmbeddingsRequest": {"input": [1.5]},
            "SimilarityRequest": {"inputs": {"source_sentence": "a"}},
            "PredictRequest": {"inputs": [["a", "b", "c"]]},
            "RerankRequest": {"query": "a", "texts": []},
            "CohereRerankRequest2": {"query": "a", "documents": [{"title": "b"}]},
            "FillMaskRequest": {"inputs": [[1]]},
            "TagRequest": {"inputs": "a", "parameters": {"aggregation_strategy": "most"}},
            "HiddenRequest": {"inputs": "a", "layers": [-1]},
            "DecodeRequest": {"ids": "a"},
        }.items():
            with self.subTest(name), self.assertRaises(jsonschema.ValidationError):
                check(API["components"]["schemas"][name], body)


class Sources(unittest.TestCase):
    def test_fields_of_requests_are_those_that_the_routes_read(self):
        read = set()
        for path in sorted(ROUTES.glob("*.cpp")):
            text = path.read_text(encoding="utf-8")
            read |= set(re.findall(r'(?:->|\.)(?:find|boolean|string|count|strings|object|contains)\("(\w+)"', text))
            read |= set(re.findall(r'\brequired_strings?\(body, "(\w+)"\)', text))
            read |= set(re.findall(r'\bread_(?:input|pairs)\([^"()]*(?:\(\))?, "(\w+)"\)', text))
        documented = {name for _, _, operation in operations() if "requestBody" in operation
                      for name in fields_of(body_of(operation)["schema"])}
        self.assertEqual(documented, read)

    def test_headers_are_those_that_the_routes_set(self):
        text = source("serve/routes/call.cpp") + source("serve/routes/dialect.cpp")
        # Allow comes with 405, which no route documents: it is told for all of them under x-errors.
        found = set(re.findall(r'emplace_back\("([\w-]+)"', text)) - {"Allow"} | {"X-Request-Id"}
        self.assertEqual(found, set(API["components"]["headers"]))

    def test_every_status_is_told(self):
        text = source("serve/routes/dialect.cpp")
        statuses = set(re.findall(r"return (\d{3});", re.search(r"unsigned status_of.*?\n}\n", text, re.DOTALL)[0]))
        statuses |= set(re.findall(r"unsigned k\w+ = (\d{3});", source("serve/http/status.hpp")))
        told = {name.split("_")[1] for name in API["components"]["responses"] if name.startswith("native_")}
        told |= {str(one["status"]) for one in API["x-errors"]["everywhere"]}
        self.assertLessEqual(statuses, told)

    def test_kinds_of_errors_are_those_that_the_dialects_have(self):
        text = source("serve/routes/dialect.cpp")
        schemas = API["components"]["schemas"]
        self.assertEqual(set(schemas["ErrorType"]["enum"]), returned("error_type", text))
        inner = schemas["OpenaiError"]["properties"]["error"]["properties"]
        self.assertEqual(set(inner["type"]["enum"]), returned("openai_type", text))
        self.assertEqual(set(inner["code"]["enum"]) - {None}, returned("openai_code", text) - {"model"})

    def test_limits_and_defaults_are_those_of_the_sources(self):
        told = API["info"]["description"]
        texts = re.search(r"most_texts = ([\d']+)", source("serve/service/service.hpp"))[1]
        self.assertIn(f"{int(texts.replace(chr(39), '')):,} texts", told)
        mebibytes = re.search(r"body_bytes = size_t{(\d+)} << 20", source("serve/http/server.hpp"))[1]
        self.assertIn(f"{mebibytes} MiB", told)
        deepest = re.search(r"kDeepest = (\d+)", source("serve/routes/body.cpp"))[1]
        self.assertIn(f"{deepest} deep", told)
        top = re.search(r"size_t top = (\d+);", source("include/summand/heads.hpp"))[1]
        self.assertEqual(API["components"]["schemas"]["FillMaskRequest"]["properties"]["top_k"]["default"], int(top))


class DocsPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            page, policy = pathlib.Path(folder) / "docs.html", pathlib.Path(folder) / "docs_policy.txt"
            subprocess.run([sys.executable, ROUTES / "write_docs_page.py", ROUTES / "openapi.json", ROUTES / "docs.css", page, policy],
                           check=True)
            cls.page, cls.policy = page.read_text(encoding="utf-8"), policy.read_text(encoding="utf-8")

    def section(self, operation):
        return re.search(rf'<section class="route" id="{operation["operationId"]}".*?</section>', self.page, re.DOTALL)[0]

    def test_it_shows_every_route(self):
        for method, path, operation in operations():
            section = self.section(operation)
            self.assertIn(f">{method}</b> <code>{path}</code>", section)
            self.assertIn(f"curl localhost:8080{path.replace('{model}', 'summand-mini-sentences')}", section)

    def test_it_shows_every_field_of_every_request(self):
        for _, path, operation in operations():
            if "requestBody" not in operation or "x-same-as" in operation:
                continue
            shown = re.findall(r'scope="row"><code>([^<]+)</code>', self.section(operation).replace("<wbr>", ""))
            for name in resolve(body_of(operation)["schema"]).get("properties", {}):
                self.assertTrue(any(one.split(".")[0] == name for one in shown), f"{path}: {name}")

    def test_its_links_lead_somewhere(self):
        names = re.findall(r'\bid="([^"]+)"', self.page)
        self.assertEqual(len(names), len(set(names)))
        for target in re.findall(r'href="([^"]+)"', self.page):
            self.assertTrue(target == "openapi.json" or target.removeprefix("#") in names, target)
        self.assertEqual(re.findall(r"`", html.unescape(re.sub(r"<pre>.*?</pre>|<code[^>]*>.*?</code>", "", self.page, flags=re.DOTALL))), [])

    def test_it_needs_nothing_but_itself(self):
        for outside in ("<script", "<link", "<img", "src=", "style=", "@import", "url(", "https:", "http:", "onclick"):
            self.assertNotIn(outside, self.page)

    def test_its_policy_allows_its_style_alone(self):
        style = re.search(r"<style>(.*?)</style>", self.page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self.assertIn("default-src 'none'", self.policy)
        self.assertIn(f"style-src 'sha256-{digest}'", self.policy)
        self.assertNotIn("unsafe", self.policy)
        self.assertNotIn("\n", self.policy)


if __name__ == "__main__":
    summand_testing.run_cases()
