"""Open loop: requests come when they come (Poisson), whether or not earlier ones are answered. Latency counts from the scheduled
arrival, so that a server that stalls cannot hold back the requests that would have shown it.

One thread with epoll and a timer of nanoseconds (epoll's own timeout has milliseconds).
"""

import collections
import ctypes
import os
import random
import re
import select
import socket
import struct
import time

MOST_CONNECTIONS = 1000
PATIENCE = 2  # times the duration: how long after the last arrival answers are waited for
CLOCK_MONOTONIC, ABSOLUTE = 1, 1  # linux/time.h, linux/timerfd.h
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Timer:
    """A file that becomes readable at a time of time.monotonic()."""

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.file = self.libc.timerfd_create(CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self.file < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")

    def set(self, when):
        seconds = int(when)
        self.libc.timerfd_settime(self.file, ABSOLUTE, struct.pack("4q", 0, 0, seconds, int((when - seconds) * 1e9) + 1), None)

    def close(self):
        os.close(self.file)


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.place, self.answer, self.length = None, bytearray(), None  # place: of the request that is under way
        self.reused = False

    def send(self, raw, place):
        self.reused = bool(self.answer)
        self.place, self.length = place, None
        self.answer.clear()
        self.socket.sendall(raw)

    def receive(self):
        """Takes what has come. @return whether the answer is whole; ConnectionResetError if the server has closed the connection"""
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionResetError("the server closed a connection")
        self.answer += part
        if self.length is None:
            end = self.answer.find(b"\r\n\r\n")
            if end < 0:
                return False
            self.length = end + 4 + int(LENGTH.search(self.answer, 0, end)[1])
        return len(self.answer) >= self.length

    def refused(self):
        return self.answer[9:12] != b"200"


class OpenLoop:
    """@param arrivals: seconds from the start, rising"""

    def __init__(self, port, requests, arrivals, first):
        self.port, self.requests, self.arrivals, self.first = port, requests, arrivals, first
        self.timer, self.poll = Timer(), select.epoll()
        self.poll.register(self.timer.file, select.EPOLLIN)
        self.connections, self.idle, self.held = {}, [], collections.deque()
        self.latencies, self.refused = [], 0

    def run(self, patience):
        self.begin = time.monotonic() + 0.01
        begin_cpu = time.process_time()
        next_arrival, end = 0, self.begin + self.arrivals[-1] + patience
        self.timer.set(self.begin + self.arrivals[0])
        while len(self.latencies) + self.refused < len(self.arrivals) and time.monotonic() < end:
            for file, _ in self.poll.poll(0.1):
                if file == self.timer.file:
                    os.read(file, 8)
                    next_arrival = self.send_due(next_arrival)
                else:
                    self.receive(self.connections[file])
        self.seconds, self.cpu_seconds = time.monotonic() - self.begin, time.process_time() - begin_cpu

    def send_due(self, place):
        now = time.monotonic() - self.begin
        while place < len(self.arrivals) and self.arrivals[place] <= now:
            self.held.append(place)
            place += 1
        self.send_held()
        if place < len(self.arrivals):
            self.timer.set(self.begin + self.arrivals[place])
        return place

    def send_held(self):
        while self.held and (connection := self.free_connection()):
            place = self.held.popleft()
            connection.send(self.requests.raw[(self.first + place) % len(self.requests.raw)], place)

    def free_connection(self):
        if self.idle:
            return self.idle.pop()
        if len(self.connections) == MOST_CONNECTIONS:
            return None
        connection = Connection(self.port)
        self.connections[connection.socket.fileno()] = connection
        self.poll.register(connection.socket, select.EPOLLIN)
        return connection

    def receive(self, connection):
        try:
            if not connection.receive():
                return
        except ConnectionResetError:
            return self.forget(connection)
        if connection.refused():
            self.refused += 1
        else:
            self.latencies.append(time.monotonic() - self.begin - self.arrivals[connection.place])
        connection.place = None
        self.idle.append(connection)
        self.send_held()

    def forget(self, connection):
        """A server may close a connection that had nothing to do: what was just sent on it goes out again on another."""
        self.poll.unregister(connection.socket)
        del self.connections[connection.socket.fileno()]
        connection.socket.close()
        if connection.place is None:
            return self.idle.remove(connection)
        if not connection.reused or connection.answer:
            raise RuntimeError("the server closed a connection instead of answering")
        self.held.appendleft(connection.place)
        self.send_held()

    def waiting(self):
        """Seconds for which unanswered requests have waited."""
        sent = [connection.place for connection in self.connections.values() if connection.place is not None]
        return [self.seconds - self.arrivals[place] for place in (*sent, *self.held)]

    def close(self):
        for connection in self.connections.values():
            connection.socket.close()
        self.timer.close()
        self.poll.close()


def poisson(rate, seconds, seed):
    """@return times of arrivals in [0, seconds)"""
    numbers, times, now = random.Random(seed), [], 0.0
    while (now := now + numbers.expovariate(rate)) < seconds:
        times.append(now)
    return times or [0.0]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def open_loop(port, requests, rate, seconds, seed, first=0):
    """An unanswered request counts with the time that it waited, so that percentiles are lower bounds then.
    @return p50_ms, p99_ms, how many of how many were not answered, and the generator's share of the processors"""
    loop = OpenLoop(port, requests, poisson(rate, seconds, seed), first)
    try:
        loop.run(PATIENCE * seconds)
        waited = loop.waiting()
    finally:
        loop.close()
    latencies = loop.latencies + waited
    return {
        "asked_rate": rate, "requests": len(loop.arrivals), "unanswered": len(waited), "refused": loop.refused,
        "p50_ms": 1e3 * percentile(latencies, 0.5), "p99_ms": 1e3 * percentile(latencies, 0.99),
        "generator_share": loop.cpu_seconds / loop.seconds / os.cpu_count(),
    }  # fmt: skip
