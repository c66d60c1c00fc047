"""The tiny masked-language model of the test data: it is what its README says, and claim 0.8 is told in nats on it."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
import torch
import transformers

MODEL = summand_testing.ROOT / "tests" / "data" / "tiny_mlm"
SENTENCES = ["the united [MASK] of america .", "i do not [MASK] what it is", "he said that [MASK] was the first of them"]


class TinyMlm(unittest.TestCase):
    def test_scores_are_those_of_transformers(self):
        reference = transformers.BertForMaskedLM.from_pretrained(MODEL, dtype=torch.float32).eval()
        tokenizer = transformers.BertTokenizerFast.from_pretrained(MODEL)
        for sentence in SENTENCES:
            encoded = tokenizer(sentence, return_tensors="pt")
            with torch.no_grad():
                scores = reference(**encoded).logits[0]
            at = (encoded["input_ids"][0] == tokenizer.mask_token_id).nonzero().item()
            probabilities = torch.softmax(scores[at].double(), 0)
            best = torch.topk(probabilities, 5)
            ran = subprocess.run([summand_testing.BIN / "summand", "fill-mask", "--model", MODEL, "--json", "--text", sentence],
                                 capture_output=True, text=True)  # fmt: skip
            self.assertEqual(ran.returncode, 0, ran.stderr)
            found = json.loads(ran.stdout)["masks"][0]["fillings"]
            self.assertEqual([one["id"] for one in found], best.indices.tolist())
            np.testing.assert_allclose([one["score"] for one in found], best.values.numpy(), rtol=1e-4)

    def test_order_is_worth_nats_and_a_model_that_is_not_changed_none(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([summand_testing.BIN / "summand-lab", "--model", MODEL, "-o", folder, "--quick",
                                  "--only", "interventions"], capture_output=True, text=True)  # fmt: skip
            self.assertEqual(ran.returncode, 0, ran.stderr)
            results = json.loads((pathlib.Path(folder) / "results.json").read_text())
        numbers = next(claim for claim in results["claims"] if claim["id"] == "0.8")["numbers"]
        order = numbers["masked_words_lost_order_averaged"]
        segment = numbers["masked_words_lost_segment_averaged"]
        # Its README: shuffled positions cost 4.4 nats up to 128 tokens and less beyond, segments .02 at most.
        self.assertGreater(order["interval"][0], 1)
        self.assertLess(segment["value"], 0.2)
        for number in (order, segment):
            self.assertLess(abs(number["null"]), 1e-5)  # the same model again
            self.assertGreater(number["control"], 1)  # words dealt anew among the texts


if __name__ == "__main__":
    unittest.main()
