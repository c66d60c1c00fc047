"""The files in deploy, and the image of Containerfile, name what is there: options, routes, metrics, libraries; and their times
leave room for a server that drains."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import yaml

import summand_testing
from served import Served

DEPLOY = summand_testing.ROOT / "deploy"
CONTAINERFILE = summand_testing.ROOT / "Containerfile"
MODEL = summand_testing.ROOT / "models" / "summand-mini-sentences"
SERVER = summand_testing.BIN / "summand-serve"
WHOLE_WIDTH = 24  # of a dashboard
ATTEMPT_S = 120


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=ATTEMPT_S)
    return done.returncode, done.stdout + done.stderr


def option(words, name):
    return words[words.index(name) + 1]


class Deploy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        _, help_text = run(SERVER, "--help")
        cls.options = set(re.findall(r"--[a-z][a-z-]+", help_text))
        cls.most_connections = int(re.search(r"--max-connections N=(\d+)", help_text)[1])
        cls.server = cls.enterClassContext(Served(models=[MODEL]))

    def known(self, words):
        for word in words:
            if word.startswith("--"):
                self.assertIn(word, self.options)


class Unit(Deploy):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = (DEPLOY / "summand-serve.service").read_text()
        cls.settings = dict(line.split("=", 1) for line in cls.text.splitlines() if "=" in line and not line.startswith("#"))
        cls.words = cls.settings["ExecStart"].split()
        cls.environment = (DEPLOY / "serve.env").read_text()
        [chosen] = re.findall(r"^SUMMAND_SERVE_OPTIONS=(.*)$", cls.environment, re.MULTILINE)
        cls.chosen = shlex.split(shlex.split(chosen)[0])

    def test_its_options_and_those_of_its_environment_are_the_programs(self):
        self.known([*self.words, *self.chosen])
        self.assertEqual(self.words[-1], "$SUMMAND_SERVE_OPTIONS")

    def test_it_waits_longer_than_the_server_drains(self):
        self.assertGreater(int(self.settings["TimeoutStopSec"]), int(option(self.words, "--drain-time")))

    def test_it_may_open_more_files_than_there_are_connections(self):
        self.assertGreater(int(self.settings["LimitNOFILE"]), self.most_connections)

    def test_systemd_knows_every_line(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd is not installed")
        (self.folder / "serve.env").write_text(self.environment)
        text = self.text.replace("/etc/summand/serve%i.env", f"{self.folder}/serve.env").replace(self.words[0], str(SERVER))
        unit = self.folder / "summand-serve.service"
        unit.write_text(text)
        status, said = run("systemd-analyze", "verify", "--man=no", unit)
        about_it = [line for line in said.splitlines() if "summand-serve" in line]  # others are of this machine's own units
        self.assertEqual((status, about_it), (0, []), said)


class Kubernetes(Deploy):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.deployment, cls.service = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
        cls.pod = cls.deployment["spec"]["template"]
        [cls.container] = cls.pod["spec"]["containers"]

    def test_its_options_are_the_programs(self):
        self.known(self.container["args"])

    def test_a_pod_ends_after_its_server_has_drained(self):
        [_, pause] = self.container["lifecycle"]["preStop"]["exec"]["command"]
        drain = option(self.container["args"], "--drain-time")
        self.assertGreater(self.pod["spec"]["terminationGracePeriodSeconds"], int(pause) + int(drain))

    def test_probes_ask_what_is_answered(self):
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            self.assertEqual(self.container[probe]["httpGet"]["port"], "http")
            self.assertEqual(self.server.get(self.container[probe]["httpGet"]["path"]).status, 200)

    def test_the_port_is_the_servers(self):
        [port] = self.container["ports"]
        self.assertTrue(option(self.container["args"], "--listen").endswith(f":{port['containerPort']}"))
        self.assertEqual(self.service["spec"]["ports"][0]["targetPort"], port["name"])

    def test_the_service_and_the_deployment_select_the_pods(self):
        labels = self.pod["metadata"]["labels"]
        self.assertEqual(self.service["spec"]["selector"], labels)
        self.assertEqual(self.deployment["spec"]["selector"]["matchLabels"], labels)

    def test_what_is_mounted_is_a_volume(self):
        mounted = {mount["name"]: mount["mountPath"] for mount in self.container["volumeMounts"]}
        self.assertEqual(set(mounted), {volume["name"] for volume in self.pod["spec"]["volumes"]})
        self.assertEqual(mounted["cache"], option(self.container["args"], "--cache"))


class Image(Deploy):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        stages = re.split(r"^FROM ", CONTAINERFILE.read_text(), flags=re.MULTILINE)
        [cls.stage] = [stage for stage in stages if stage.splitlines()[0].endswith(" AS serve")]

    def test_its_words_are_the_programs(self):
        words = json.loads(re.search(r"^CMD (.*)$", self.stage, re.MULTILINE)[1])
        self.known(words)
        self.assertIn(f"models/{option(words, '--model')} ", self.stage)
        self.assertTrue(option(words, "--listen").endswith(":" + re.search(r"^EXPOSE (\d+)$", self.stage, re.MULTILINE)[1]))

    def test_it_has_the_libraries_that_the_programs_load(self):
        if shutil.which("dpkg-query") is None:
            self.skipTest("this is no Debian")
        given = set(re.search(r"no-install-recommends ([a-z0-9 ]+) >", self.stage)[1].split())
        loaded = set()
        for program in (SERVER, summand_testing.BIN / "summand"):
            for path in map(pathlib.Path, re.findall(r" => (/\S+)", run("ldd", program)[1])):
                _, owners = run("dpkg-query", "-S", f"*/{path.parent.name}/{path.name}")  # below /lib or /usr/lib, which are one
                loaded |= {line.split(":")[0] for line in owners.splitlines() if line.endswith(path.name)}
        loaded = {name for name in loaded if not re.match(r"lib(a|t|ub)san", name)}  # of a build with sanitizers
        there, waiting = set(), [*given, "libstdc++6"]  # the last is in every Debian, for apt
        while waiting:
            name = waiting.pop()
            if name in there:
                continue
            there.add(name)
            _, depends = run("dpkg-query", "-W", "-f", "${Depends}", name)
            waiting += [part.split()[0].split(":")[0] for part in depends.split(",") if part.split()]
        self.assertGreater(len(loaded), 5)
        self.assertLessEqual(loaded, there)


class Dashboard(Deploy):
    """Fields of Grafana's JSON model of a dashboard."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.board = json.loads((DEPLOY / "grafana.json").read_text())
        cls.expressions = [target["expr"] for panel in cls.board["panels"] for target in panel["targets"]]
        cls.server.post("/embed", {"inputs": "a"})
        cls.server.post("/embed", {"inputs": 3})  # a fault
        cls.metrics = cls.server.get("/metrics").body.decode()

    def test_every_metric_and_label_is_printed(self):
        printed = {name: set(re.findall(r'(\w+)="', labels)) for name, labels in re.findall(r"^([a-z]\w*)(\{.*?\})? ", self.metrics, re.MULTILINE)}
        named = set()
        for expression in self.expressions:
            names = re.findall(r"\b((?:te|summand)_\w+)\{", expression)
            self.assertTrue(names, expression)
            named |= set(names)
            for by in re.findall(r"by \((\w+)\)", expression):
                for name in names:
                    self.assertIn(by, printed[name] | {"instance"}, expression)
        self.assertLessEqual(named, set(printed))
        self.assertLessEqual({"te_request_success", "te_request_failure", "summand_busy_seconds_total"}, named)
        for variable in self.board["templating"]["list"]:
            for name in re.findall(r"\b(?:te|summand)_\w+", variable.get("definition", "")):
                self.assertIn(name, printed)

    def test_prometheus_reads_every_expression(self):
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not installed")
        rules = [{"record": f"rule_{number}", "expr": expression.replace("$__rate_interval", "1m")} for number, expression in enumerate(self.expressions)]
        (self.folder / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "board", "rules": rules}]}))
        status, said = run("promtool", "check", "rules", self.folder / "rules.yaml")
        self.assertEqual(status, 0, said)
        self.assertIn(f"{len(rules)} rules found", said)

    def test_panels_have_ids_places_and_queries_of_their_own(self):
        for key in ("title", "uid", "schemaVersion", "time", "templating"):
            self.assertIn(key, self.board)
        panels = self.board["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        self.assertEqual(len({panel["title"] for panel in panels}), len(panels))
        taken = set()
        for panel in panels:
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertLessEqual(max(x for x, _ in cells), WHOLE_WIDTH - 1)
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
            self.assertEqual(panel["type"], "timeseries")
            references = [target["refId"] for target in panel["targets"]]
            self.assertEqual(len(set(references)), len(references))
            for asked in (panel, *panel["targets"]):
                self.assertEqual(asked["datasource"], {"type": "prometheus", "uid": "${datasource}"})

    def test_every_variable_is_defined(self):
        defined = {variable["name"] for variable in self.board["templating"]["list"]} | {"__rate_interval"}
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(self.board))) - {"__all"}
        self.assertEqual(used, defined)


if __name__ == "__main__":
    del Deploy  # what the others have in common is no case
    summand_testing.run_cases()
