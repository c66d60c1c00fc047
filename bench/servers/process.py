"""A server in a process of its own: started, stopped for other servers' turns, and ended."""

import ctypes
import http.client
import os
import pathlib
import signal
import socket
import subprocess
import time

START_SECONDS = 300
QUIET_SECONDS, QUIET_SHARE = 0.3, 0.1  # a server has settled when it used less than this share of a processor for so long
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


class ServerProcess:
    """@param command: a function of the port @param processors: to which it is pinned @param log: the file of its messages"""

    def __init__(self, command, environment, processors, log):
        self.port, self.log = free_port(), log
        libc, parent = ctypes.CDLL(None), os.getpid()

        def before_exec():
            os.sched_setaffinity(0, processors)
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it ended before the line above
                os._exit(1)

        with log.open("wb") as out:
            self.process = subprocess.Popen([*map(str, command(self.port))], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            env=os.environ | environment, cwd=pathlib.Path(__file__).resolve().parents[1],
                                            start_new_session=True, preexec_fn=before_exec)  # fmt: skip

    def wait_until_ready(self):
        end = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                lines = self.log.read_text(errors="replace").strip().splitlines()
                raise RuntimeError(lines[-1] if lines else "it did not start")
            time.sleep(0.1)

    def is_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def ask(self, raw):
        """Sends one whole request. @return the body of the answer"""
        with socket.create_connection(("127.0.0.1", self.port), timeout=START_SECONDS) as connection:
            connection.sendall(raw)
            response = http.client.HTTPResponse(connection)
            response.begin()
            body = response.read()
        if response.status != 200:
            raise RuntimeError(f"it answered {response.status}: {body[:200].decode(errors='replace')}")
        return body

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settle(self):
        """Waits until requests whose clients have gone are done."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            before = self.cpu_seconds()
            time.sleep(QUIET_SECONDS)
            if self.cpu_seconds() - before <= QUIET_SHARE * QUIET_SECONDS:
                return

    def pause(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self):
        os.killpg(self.process.pid, signal.SIGCONT)

    def end(self):
        """Ends the server and what it started."""
        try:
            for sent in (signal.SIGTERM, signal.SIGCONT):
                os.killpg(self.process.pid, sent)
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        except ProcessLookupError:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
