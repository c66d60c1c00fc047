"""Threads that ask a server many things at once, and ask again where they were not answered."""

import http.client
import json
import threading
import time

CLIENTS = 8


class Clients:
    """Threads that POST each body, on connections that they keep; the block ends when all are answered or given up."""

    def __init__(self, port, bodies, path="/embed", attempts=1):
        self.port, self.bodies, self.path, self.attempts = port, bodies, path, attempts
        self.answers = [[] for _ in bodies]  # of each body those with status 200: (X-Request-Id, text)
        self.faults = []
        self.ended = 0
        self.changed = threading.Condition()
        self.threads = [threading.Thread(target=self._ask, args=(range(at, len(bodies), CLIENTS),)) for at in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for thread in self.threads:
            thread.join()

    def wait_for(self, ended):
        with self.changed:
            if not self.changed.wait_for(lambda: self.ended >= ended, 300):
                raise AssertionError(f"{self.ended} of {ended} answers after 300 s; {self.faults[:3]}")

    def _ask(self, numbers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        for number in numbers:
            for _ in range(self.attempts):
                if self._attempt(connection, number):
                    break
                time.sleep(0.1)
            with self.changed:
                self.ended += 1
                self.changed.notify_all()
        connection.close()

    def _attempt(self, connection, number):
        body = json.dumps(self.bodies[number]).encode()
        try:
            connection.request("POST", self.path, body, {"Content-Type": "application/json", "X-Request-Id": f"request-{number}"})
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as fault:
            connection.close()
            self.faults.append((number, repr(fault)))
            return False
        if response.status != 200:
            self.faults.append((number, response.status))
            return False
        self.answers[number].append((response.headers["X-Request-Id"], text))
        return True
