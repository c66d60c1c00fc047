"""A headless Chromium that a test drives: pages, the pointer, keys, pictures. Standard library only."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PATIENCE_S = 600  # a bound for what never comes, not a measure: a busy machine is slow


def chromium():
    """Path of a Chromium; where there is none the test ends here, as skipped."""
    path = os.environ.get("SUMMAND_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        print("skipped: no Chromium here (Debian: apt-get install chromium)")
        sys.exit(77)
    return path


class Browser:
    """Speaks the DevTools protocol through a pipe: JSON, ended by a zero byte, on the child's descriptors 3 and 4."""

    def __init__(self):
        path = chromium()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_child, self.out = os.pipe()
        self.inward, from_child = os.pipe()
        command = [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"]

        def place():
            # Above 4 first: one of the two may lie on 3 or 4 already.
            high = [os.dup2(to_child, 93), os.dup2(from_child, 94)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(command, preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        os.close(self.out)
        os.close(self.inward)
        self.profile.cleanup()

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.inward], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            block = os.read(self.inward, 1 << 20)
            if not block:
                raise RuntimeError("Chromium has ended")
            self.buffer += block
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self.out, text):]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            message = self._message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise AssertionError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    @staticmethod
    def _wait_until(is_true, what):
        deadline = time.monotonic() + PATIENCE_S
        while not is_true():
            if time.monotonic() > deadline:
                raise AssertionError(f"never came true: {what}")
            time.sleep(0.05)

    def wait_for(self, expression, what=None):
        self._wait_until(lambda: self.evaluate(expression), what or expression)

    def open(self, url):
        """Opens an address and waits until its document is there: the answer to Page.navigate may come while the old one still is."""
        loader = self.call("Page.navigate", url=url).get("loaderId")
        if loader:
            self._wait_until(lambda: self.call("Page.getFrameTree")["frameTree"]["frame"]["loaderId"] == loader, url)
        self.wait_for("document.readyState === 'complete'")

    def screen(self, width, height=900, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def bring_into_view(self, selector):
        """Scrolls to an element's middle: [left, top, width, height] on the screen. A page hides its tooltip when it scrolls, which it
        hears of a frame later: that is waited for."""
        return self.evaluate(f"(async () => {{ const node = document.querySelector({json.dumps(selector)}); node.scrollIntoView({{block: 'center'}});"
                             " for (let i = 0; i < 3; ++i) await new Promise(requestAnimationFrame);"
                             " const b = node.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")  # fmt: skip

    def focus(self, selector):
        """Gives an element the keyboard, in view."""
        self.bring_into_view(selector)
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus({{preventScroll: true}})")

    def point_at(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            code = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def picture(self, path, whole=True):
        """A PNG of the page, down to its end."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self):
        """What the console and the log have said of errors and warnings since the browser started."""
        found = []
        for event in self.events:
            what, with_ = event["method"], event["params"]
            if what == "Runtime.exceptionThrown":
                found.append(with_["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if what == "Runtime.consoleAPICalled" and with_["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(each.get("value", each.get("description"))) for each in with_["args"]))
            if what == "Log.entryAdded" and with_["entry"]["level"] in ("error", "warning"):
                found.append(with_["entry"]["text"])
        return found

    def requests(self):
        """Every address that pages have asked for."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
