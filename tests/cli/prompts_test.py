"""Prompts: by name, as a text, by default; which one stands before the texts is said."""

import contextlib
import json
import sys
import unittest

import sentence_models
from command_line import summand
from runs import Runs


class Prompts(Runs):
    def test_a_prompt_is_given_by_its_name_or_as_a_text_and_never_mistaken(self):
        vectors = lambda *options: [json.loads(line)["embedding"] for line in self.embed("--text", "a cat", *options).stdout.splitlines()]  # noqa: E731
        self.assertEqual(vectors("--prompt-name", "query"), vectors("--prompt", "query: "))
        self.assertNotEqual(vectors("--prompt", "query"), vectors("--prompt", "query: "))
        self.assertIn("summand: the model's prompt 'query' stands before every text: 'query: '\n", self.embed("--text", "a", "--prompt-name", "query").stderr)
        said = self.embed("--text", "a", "--prompt", "query").stderr
        self.assertIn("summand: 'query' is also the name of a prompt; --prompt-name query uses that\n", said)
        self.assertNotIn("prompt", self.embed("--text", "a", "--prompt", "qurey").stderr)
        self.assertNotIn("prompt", self.embed("--text", "a").stderr)
        said = self.refused("--text", "a", "--prompt-name", "qurey")
        self.assertIn("[prompt-name] expected the name of one of the model's prompts, ", said)
        for name in sentence_models.PROMPTS:
            self.assertIn(f"'{name}'", said)
        self.assertTrue(said.endswith(", got 'qurey'\n"), said)
        self.assertIn("--prompt", self.refused("--text", "a", "--prompt-name", "query", "--prompt", "x"))
        self.assertIn("stands before every text", summand("similarity", "--model", self.model, "--text", "a", "--prompt-name", "query").stderr)

    @contextlib.contextmanager
    def model_with(self, **changes):
        settings = self.model / "config_sentence_transformers.json"
        before = settings.read_text()
        settings.write_text(json.dumps(json.loads(before) | changes))
        try:
            yield
        finally:
            settings.write_text(before)

    def test_a_default_prompt_is_said(self):
        with self.model_with(default_prompt_name="passage"):
            said = self.embed("--text", "a").stderr
            self.assertIn("summand: the model's default prompt 'passage' stands before every text: 'Represent this: '\n", said)
            self.assertNotIn("stands", self.embed("--text", "a", "--prompt", "").stderr)

    def test_a_named_prompt_that_is_empty_is_said_to_be_and_changes_nothing(self):
        plain = self.embed("--text", "a cat").stdout
        with self.model_with(prompts={"query": "", "passage": "Represent this: "}):
            asked = ("--text", "a cat", "--prompt-name", "query")
            result = self.embed(*asked)
            self.assertEqual(result.stdout, plain)
            corpus = ("--corpus", self.source, "--corpus-prompt-name", "query")
            for said in (result.stderr, summand("similarity", "--model", self.model, *asked).stderr,
                         summand("search", "--model", self.model, *corpus, "--query", "a").stderr,
                         summand("search", "--model", self.model, *corpus[:2], "--query", "a", *asked[2:]).stderr):  # fmt: skip
                self.assertEqual((said.count("is empty\n"), said.count("the model's prompt 'query' before every ")), (1, 1), said)
                self.assertNotIn("stands before", said)
            both = summand("search", "--model", self.model, *corpus, "--query", "a", "--prompt-name", "passage").stderr
            self.assertIn("prompt 'query' before every text of the corpus is empty\n", both)
            self.assertIn("prompt 'passage' stands before every query: 'Represent this: '\n", both)

    def test_a_default_prompt_that_is_empty_is_not_worth_a_word(self):
        with self.model_with(prompts={"query": ""}, default_prompt_name="query"):
            self.assertNotIn("prompt", self.embed("--text", "a").stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
