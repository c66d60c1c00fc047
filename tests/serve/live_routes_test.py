"""The live page's routes of `summand serve`: what answers them, and when there is none of them."""

import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import served
import summand_testing

MINI = summand_testing.ROOT / "models" / "summand-mini"
SENTENCES = summand_testing.ROOT / "models" / "summand-mini-sentences"


class LivePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.server = cls.enterClassContext(served.Served("--reports", cls.folder / "reports", models=[f"mini={MINI}", f"sentences={SENTENCES}"]))

    def error(self, answer, status=422):
        self.assertEqual(answer.status, status, answer.body)
        line = answer.json["error"]
        self.assertNotIn("\n", line)
        return line

    def test_it_says_that_there_is_a_page(self):
        self.server.wait_until(lambda: f"summand: no key is needed; the live page: {self.server.url}/" in self.server.lines)

    def test_the_page_and_every_file_that_it_names_are_there(self):
        page = self.server.get("/")
        self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertTrue(page.headers["Content-Security-Policy"].startswith("default-src 'self'"))
        for name in ("live.css", "main.js", "report.js", "words.json", "icon.svg"):
            answer = self.server.get(f"/live/{name}")
            self.assertEqual(answer.status, 200, name)
            again = self.server.get(f"/live/{name}", headers={"If-None-Match": answer.headers["ETag"]})
            self.assertEqual((again.status, again.body), (304, b""))
            self.assertEqual(answer.headers["Cache-Control"], "max-age=86400" if name == "icon.svg" else "no-cache")

    def test_what_it_reads_is_logged_only_where_it_fails(self):
        self.server.get("/live/claims", headers={"X-Request-Id": "polled"})
        self.server.get("/live/nothing", headers={"X-Request-Id": "failed"})
        self.server.wait_for_log(lambda line: line["id"] == "failed")
        self.assertEqual([line for line in self.server.log if line["id"] == "polled"], [])

    def test_nothing_else_is_a_file(self):
        for path in ("/live/", "/live/nothing", "/live/../etc/passwd", "/live/report/nothing.html", "/live/report/", "/live/look"):
            self.error(self.server.get(path), 404)

    def test_models_are_named_as_requests_name_them(self):
        models = self.server.get("/live/models").json
        self.assertEqual([model["name"] for model in models], ["mini", "sentences"])
        self.assertTrue(models[0]["has_mask_head"])

    def test_an_unchanged_look_has_the_served_vector(self):
        look = self.server.post("/live/look", {"model": "sentences", "text": "A cat sleeps."}).json
        tokens = self.server.post("/tokenize", {"model": "sentences", "inputs": "A cat sleeps."}).json[0]
        self.assertEqual([token["id"] for token in look["tokens"]], [token["id"] for token in tokens])
        self.assertFalse(look["changed"])
        self.assertEqual(look["vector"]["cosine"], 1)

    def test_a_change_changes_it(self):
        look = self.server.post("/live/look", {"model": "sentences", "text": "A cat sleeps.", "strengths": {"position": 0}}).json
        self.assertTrue(look["changed"])
        self.assertLess(look["vector"]["cosine"], 1)

    def test_bad_requests_are_one_line(self):
        look = lambda body, **options: self.error(self.server.post("/live/look", body, **options))  # noqa: E731
        self.assertIn("expected a JSON object", look(b"[]"))
        self.assertIn("expected a JSON object", look(b"{"))
        self.assertIn("expected a text in `model`", look({"model": 1, "text": "a"}))
        self.assertIn("expected one of mini, sentences, got 'other'", look({"model": "other", "text": "a"}))
        self.assertIn("[noise]", look({"model": "mini", "text": "a", "noise": 5}))
        self.assertIn("expected ?after=N, got '?after=x'", self.error(self.server.get("/live/claims?after=x")))
        self.assertIn("expected ?after=N", self.error(self.server.get("/live/claims?before=1")))

    def test_another_sites_form_is_refused(self):
        for path in ("/live/look", "/live/claims"):
            answer = self.server.post(path, {"model": "mini", "text": "a"}, headers={"Content-Type": "text/plain"})
            self.assertIn("Content-Type: expected application/json", self.error(answer))

    def test_looks_are_right_when_many_ask_at_once(self):
        bodies = [{"model": "mini", "text": f"{word} sleeps"} for word in ("cat", "dog", "river")]
        alone = [self.server.post("/live/look", body).body for body in bodies]
        answers = {}

        def ask(i):
            answers[i] = self.server.post("/live/look", bodies[i % 3])

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, answer in answers.items():
            self.assertEqual((answer.status, answer.body), (200, alone[i % 3]))

    def test_claims_run_and_their_report_is_served_and_kept(self):
        idle = self.server.get("/live/claims").json
        self.assertEqual((idle["state"], idle["verdicts"]), ("idle", []))
        self.assertIn("expected names of experiments", self.error(self.server.post("/live/claims", {"model": "mini", "only": ["no such"]})))
        begun = self.server.post("/live/claims", {"model": "mini", "only": ["norms"]}).json
        self.assertEqual((begun["state"], begun["model"]), ("running", "mini"))
        self.assertIn("expected no run under way", self.error(self.server.post("/live/claims", {"model": "mini"})))
        state = lambda: self.server.get("/live/claims?after=0").json  # noqa: E731
        self.server.wait_until(lambda: state()["state"] != "running", 300)
        found = state()
        self.assertEqual(found["state"], "finished", found)
        self.assertEqual(found["next"], len(found["verdicts"]))
        self.assertGreater(found["next"], 0)
        self.assertIsNone(found["answer"])  # norms do not answer whether adding loses anything
        self.assertEqual(self.server.get(f"/live/claims?after={found['next']}").json["verdicts"], [])
        report = self.server.get("/live/report/index.html")
        self.assertEqual(report.headers["Content-Type"], "text/html; charset=utf-8")
        kept = [path.read_bytes() for path in (self.folder / "reports").glob("*/index.html")]
        self.assertTrue(kept == [report.body], f"{len(kept)} reports, and not the one served")
        self.assertEqual(self.server.get("/live/report/../index.html").status, 404)

    def test_a_run_is_cancelled(self):
        other = self.enterContext(served.Served(models=[f"mini={MINI}"]))
        other.post("/live/claims", {"model": "mini"})
        other.ask("DELETE", "/live/claims")
        other.wait_until(lambda: other.get("/live/claims").json["state"] == "cancelled")


    def test_it_answers_to_names_of_this_machine_alone(self):
        for name in ("127.0.0.1", "localhost:80", "[::1]:80"):
            self.assertEqual(self.server.get("/", headers={"Host": name}).status, 200, name)
        for name in ("stranger.example", "127.0.0.1.example:80", "localhost.example"):
            self.assertIn("--page on", self.error(self.server.get("/", headers={"Host": name}), 404))
            self.error(self.server.post("/live/look", {"model": "mini", "text": "a"}, headers={"Host": name}), 404)
            self.assertEqual(self.server.get("/health", headers={"Host": name}).status, 200)
        with served.Served("--page", "on", models=[MINI]) as server:
            self.assertEqual(server.get("/", headers={"Host": "stranger.example"}).status, 200)


class ServerThatIsKilled(unittest.TestCase):
    def test_it_leaves_neither_a_run_nor_its_address_behind(self):
        server = served.Served(models=[MINI])
        with server:
            server.post("/live/claims", {"model": "summand-mini"})
            children = pathlib.Path(f"/proc/{server.process.pid}/task")
            server.wait_until(lambda: "".join((task / "children").read_text() for task in children.iterdir()).strip())
            child = int("".join((task / "children").read_text() for task in children.iterdir()).split()[0])
            server.wait_until(lambda: pathlib.Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"summand-lab"))
            links = [os.readlink(one) for one in pathlib.Path(f"/proc/{child}/fd").iterdir()]
            self.assertEqual([link for link in links if link.startswith("socket:")], [])
            server.process.kill()
            server.process.wait()
            server.wait_until(lambda: not pathlib.Path(f"/proc/{child}").exists() or "Z (" in pathlib.Path(f"/proc/{child}/status").read_text())
            with served.Served(models=[MINI], port=server.port):
                pass


class NoPage(unittest.TestCase):
    def refused(self, server, reason):
        for method, path in (("GET", "/"), ("GET", "/live/main.js"), ("POST", "/live/look"), ("DELETE", "/live/claims")):
            answer = server.ask(method, path, None if method != "POST" else {"model": "mini", "text": "a"})
            self.assertEqual(answer.status, 404, (method, path))
            self.assertIn(reason, answer.json["error"])
        server.wait_until(lambda: any(line.endswith("; " + reason) for line in server.lines))

    def test_where_keys_are_needed(self):
        with served.Served("--api-key", "a-long-secret", models=[MINI]) as server:
            self.refused(server, "there is no live page where keys are needed")

    def test_where_it_is_not_wanted(self):
        with served.Served("--page", "off", models=[MINI]) as server:
            self.refused(server, "there is no live page (--page off)")
            self.assertEqual(server.get("/health").status, 200)

    def test_where_others_can_reach_the_server(self):
        with served.Served("--listen", "0.0.0.0:0", models=[MINI]) as server:
            self.refused(server, "there is no live page where others can reach the server, unless --page on")

    def test_it_takes_no_keys(self):
        words = [summand_testing.BIN / "summand", "serve", "--model", MINI, "--page", "on", "--api-key", "a-long-secret", "--listen", "127.0.0.1:0"]
        run = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, len(run.stderr.splitlines())), (2, 1), run.stderr)
        self.assertIn("--page", run.stderr)

    def test_a_key_that_is_none_lets_nobody_in(self):
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write("# none yet\n")
            keys.flush()
            for options, environment in ((["--api-key", ""], {}), ([], {"SUMMAND_API_KEY": ""}), (["--api-keys", keys.name], {})):
                words = [summand_testing.BIN / "summand", "serve", "--model", MINI, "--listen", "127.0.0.1:0", *options]
                run = subprocess.run(words, capture_output=True, text=True, timeout=60, env=os.environ | environment)
                self.assertEqual((run.returncode, len(run.stderr.splitlines())), (2, 1), run.stderr)
                self.assertIn("expected", run.stderr)

    def test_a_wrong_command_line_says_what_is_wrong(self):
        for verb in ("serve", "lab"):
            words = ["lab", "--live"] if verb == "lab" else ["serve"]
            for options, expected in (([], "serve: --model is required; see summand serve --help"), (["--model", "x", "--modle", "y"], "--modle"),
                                      (["--model", "x", "--threads", "many"], "--threads")):  # fmt: skip
                run = subprocess.run([summand_testing.BIN / "summand", *words, *options], capture_output=True, text=True, timeout=60)
                self.assertEqual((run.returncode, len(run.stderr.splitlines())), (2, 1), run.stderr)
                self.assertIn(expected, run.stderr)
                self.assertNotIn("verb", run.stderr)

    def test_the_lab_verb_shows_it(self):
        process = subprocess.Popen([summand_testing.BIN / "summand", "lab", "--live", "--model", MINI, "--listen", "0"], stderr=subprocess.PIPE, text=True)
        try:
            lines = [process.stderr.readline() for _ in range(3)]  # the first: how a model without modules.json pools
        finally:
            process.terminate()
            process.wait()
            process.stderr.close()
        self.assertIn(" serves summand-mini at http://127.0.0.1:", lines[1])
        self.assertRegex(lines[2], "^summand: no key is needed; the live page: http://127.0.0.1:[0-9]+/\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
