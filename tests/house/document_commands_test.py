"""The commands of documents run and print what is shown, and then their Python blocks run, those of a page as one program:
document_commands_test.py DOCUMENT… Documents that are given together show the same in two languages: a command of both runs
once. `summand serve` runs until the end of its page, and `curl` asks it.

A quick report of MiniLM finds in its folder what the tests' shared report has found (lab_minilm_report); other commands of the
laboratory get a tiny model."""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import documents
import summand_testing
from served import Served

ROOT = summand_testing.ROOT
TINY = summand_testing.DATA / "tiny_mlm"
ADDRESS = "127.0.0.1:8080"  # of a server, in documents


def is_output(shown, printed):
    """Whether these lines are what was printed; a line of "…" stands for any that are left out."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed.splitlines())) is not None


class Models:
    """What the documents' variables stand for: the real model, a random Chinese one, and a random one for each head. One is
    made when a command needs it."""

    KINDS = {
        "CHINESE": ("masked-lm", {"vocabulary": "chinese"}),
        "MASKED_LM": ("masked-lm", {}),
        "PAIRS": ("next-sentence", {}),
        "CLASSIFIER": ("sequence-classification", {"num_labels": 5}),
        "RERANKER": ("sequence-classification", {"num_labels": 1}),
        "ANSWERER": ("question-answering", {}),
        "TAGGER": ("token-classification", {"id2label": {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC", 4: "I-LOC"}}),
    }

    def __init__(self, folder):
        self.folder = folder
        self.made = {"MODEL": str(summand_testing.minilm())}

    def variables(self, command):
        for name in re.findall(r"\$([A-Z_]+)", command):
            if name in self.KINDS and name not in self.made:
                import head_models  # loads torch, which most documents do not need

                kind, changes = self.KINDS[name]
                directory = self.folder / name.lower()
                head_models.head_directory(directory, kind, **changes)
                self.made[name] = str(directory)
        return self.made


def prepared(command, environment, scratch):
    """The environment of a command of the laboratory; its folder may hold the shared report."""
    if not re.match("build/bin/summand lab (compare|--model) ", command):
        return environment
    folder = re.search(r" -o /tmp/(\S+)", command)
    if folder and " --model $MODEL " in command and " --quick" in command and " --experiment" not in command:
        shutil.copytree(summand_testing.minilm_report(), scratch / folder[1], dirs_exist_ok=True)
        return environment
    return environment | {"MODEL": str(TINY)}


class Runner:
    """Runs commands and programs, with a folder of its own instead of /tmp for each document: results that are there are not
    replaced."""

    def __init__(self, folder):
        self.models = Models(folder / "models")
        self.printed = {}
        self.failures = []

    def run(self, name, scratch):
        with contextlib.ExitStack() as self.until_the_end:
            self.run_page(name, scratch)

    def run_page(self, name, scratch):
        scratch.mkdir()
        port = None
        text = (ROOT / name).read_text()
        shown = documents.outputs(text)
        for command in documents.commands(text):
            if command not in self.printed:
                environment = prepared(command, os.environ | self.models.variables(command), scratch)
                line = command.replace("build/bin", str(summand_testing.BIN)).replace(ADDRESS, f"127.0.0.1:{port}")
                line = re.sub("^curl ", "curl --fail ", line)
                if command.startswith("build/bin/summand serve ") and "--help" not in command:
                    port = self.start_server(line, environment)
                    line = "true"
                self.printed[command] = self.output(name, command, ["bash", "-uc", line], scratch, environment)
            if command in shown and not is_output(shown[command], self.printed[command]):
                self.failures.append(f"{name}: {command}: shows other lines than it prints:\n{self.printed[command]}")
        program = "\n".join(documents.programs(text)).replace("path/to/all-MiniLM-L6-v2", self.models.made["MODEL"])
        if program and program not in self.printed:
            words = [sys.executable, "-c", program]
            self.printed[program] = self.output(name, "the Python blocks", words, scratch, os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(summand_testing.BUILD / "python")})

    def start_server(self, line, environment):
        """The port of a server that runs until the end of the page."""
        server = Served(models=[], environment=environment)
        server.words = ["bash", "-uc", f"cd {shlex.quote(str(ROOT))}; exec {line} --listen 127.0.0.1:0"]
        return self.until_the_end.enter_context(server).port

    def output(self, name, what, words, scratch, environment):
        """What a process prints."""
        words = [word.replace("/tmp/", f"{scratch}/") for word in words]
        result = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            self.failures.append(f"{name}: {what}: {result.stderr.strip()}")
        return result.stdout.replace(f"{scratch}/", "/tmp/")


def main():
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(pathlib.Path(folder))
        for number, name in enumerate(sys.argv[1:]):
            runner.run(name, pathlib.Path(folder) / str(number))
    print("\n".join(runner.failures))
    print(f"{len(runner.printed)} commands and programs run, {len(runner.failures)} failures")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
