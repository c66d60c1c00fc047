"""`summand fold`: what it writes of every sum of maps is a plain BERT, which transformers runs to the same numbers as NumPy
runs the model that was folded."""

import itertools
import json
import unittest

import numpy as np
import numpy_bert
import torch
import variants_test
from command_line import summand
from transformers import BertModel

TOLERANCE = 1e-5
SUMS = ("sum", "scaled_sum", "weighted_sum", "concatenate_project", "concatenate", "outside_tokens", "within_tokens")
COMPOSITIONS = [options for options in variants_test.COMPOSITIONS if options["composition"] in SUMS]
POSITIONS = [{"position_kind": "learned"}, variants_test.SINUSOID, {"position_kind": "none"}]


class Fold(variants_test.Models):
    def folded(self, config, weights):
        out = self.folder / f"folded{self.written}"
        return out, summand("fold", "--model", self.write(config, weights), "-o", out)

    def test_transformers_runs_what_is_folded(self):
        for composition, positions, segments in itertools.product(COMPOSITIONS, POSITIONS, variants_test.SEGMENTS):
            with self.subTest(**composition, **positions, **segments):
                config = variants_test.config_of(composition | positions | segments)
                weights = variants_test.model_of(config)
                out, ran = self.folded(config, weights)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("a plain BERT now", ran.stdout)
                self.assertNotIn("summand", json.loads((out / "config.json").read_text()))
                model = BertModel.from_pretrained(out, attn_implementation="eager").eval()
                for text in variants_test.TEXTS[:5]:
                    ids, kinds = variants_test.tokens_of(*text)
                    with torch.no_grad():
                        found = model(torch.tensor(ids)[None], token_type_ids=torch.tensor(kinds)[None])
                    expected, _ = numpy_bert.forward(ids, kinds, weights, config)
                    apart = np.abs(found.last_hidden_state[0].numpy() - expected[-1]).max() / np.abs(expected[-1]).max()
                    self.assertLessEqual(apart, TOLERANCE)

    def test_what_is_no_sum_is_refused_and_leaves_nothing(self):
        for composition in ("scalar_gate", "vector_gate", "multiplicative"):
            config = variants_test.config_of({"composition": composition})
            out, ran = self.folded(config, variants_test.model_of(config))
            self.assertEqual(ran.returncode, 1)
            self.assertIn(f"expected one that is a sum of three maps, got '{composition}'", ran.stderr)
            self.assertFalse(out.exists())

    def test_what_stands_inside_attention_stays(self):
        config = variants_test.config_of(
            {"composition": "concatenate_project", "position_attention": "alibi", "position_kind": "none"}
        )
        out, ran = self.folded(config, variants_test.model_of(config))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("no plain BERT", ran.stdout)
        self.assertEqual(json.loads((out / "config.json").read_text())["summand"]["position_attention"], "alibi")


if __name__ == "__main__":
    unittest.main()
