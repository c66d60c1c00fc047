"""A process that answers one line of JSON with one line of JSON, and is left alone in between."""

import contextlib
import json
import os
import pathlib
import select
import subprocess
import time

ANSWER_SECONDS = 900
# A process is quiet when none of its threads runs in so many looks, and is not waited for any longer than this.
QUIET_LOOKS = 4
QUIET_SECONDS = 1.0


class Refused(Exception):
    """The process answered with an error, or not at all."""


class Conversation:
    """Runs a command from its first answer to its end.

    @param command  list of words  @param folder  working directory  @param environment  added to this process's own
    @param log  a file that takes what it writes to standard error
    """

    def __init__(self, command, folder, environment, log):
        with open(log, "a") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, env=os.environ | environment, text=True, bufsize=1,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            )
        self.longest_noise = 0.0
        self.hello = self._answer()

    def ask(self, question):
        """The answer to a question, a string or what becomes JSON; returns once the process sleeps again."""
        try:
            print(question if isinstance(question, str) else json.dumps(question), file=self.process.stdin, flush=True)
        except BrokenPipeError as error:
            raise Refused(f"ended with status {self.process.wait()}") from error
        return self._answer()

    def close(self):
        """Ends the process, by its own means first."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answer(self):
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            self.process.kill()
            raise Refused(f"no answer within {ANSWER_SECONDS} s")
        line = self.process.stdout.readline()
        if not line:
            raise Refused(f"ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        self._wait_until_quiet()
        return answer

    def _wait_until_quiet(self):
        """Thread pools spin for a while after a call; nobody else is measured before they sleep."""
        begin = last_noise = time.monotonic()
        quiet = 0
        while quiet < QUIET_LOOKS and time.monotonic() - begin < QUIET_SECONDS:
            if running_threads(self.process.pid):
                last_noise, quiet = time.monotonic(), 0
            else:
                quiet += 1
            time.sleep(0.001)
        self.longest_noise = max(self.longest_noise, last_noise - begin)


def running_threads(pid):
    """How many threads of a process run or want to."""
    count = 0
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            # The state follows the name, which stands in parentheses and may hold anything.
            count += task.read_text().rpartition(")")[2].split()[0] == "R"
        except (FileNotFoundError, ProcessLookupError):
            pass
    return count
