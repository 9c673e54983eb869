"""A headless Chromium that a test drives over the DevTools protocol, through a pair of pipes: nothing but Python and Chromium.

    with Browser(work) as browser:
        browser.open(path)
        browser.evaluate("document.title")

Where there is no Chromium the test ends as skipped.
"""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time

from harness import SKIP, Failure, expect

NAMES = ("chromium", "chromium-browser", "google-chrome")
ANSWER_S = 60
# From keys to what the protocol wants to know of them besides.
KEYS = {"Enter": ("\r", 13), "Tab": ("", 9), "ArrowLeft": ("", 37), "ArrowUp": ("", 38), "ArrowRight": ("", 39), "ArrowDown": ("", 40),
        "Escape": ("", 27), "Home": ("", 36), "End": ("", 35)}


def chromium():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        print("skipped: no Chromium here (tools/dev/install-packages --browser installs it)")
        sys.exit(SKIP)
    return found


class Browser:
    def __init__(self, work, width=1280, height=900):
        self.profile = pathlib.Path(work) / "browser"
        shutil.rmtree(self.profile, ignore_errors=True)
        self.profile.mkdir(parents=True)
        self.width, self.height = width, height
        self.next_id, self.buffer = 0, b""
        self.events, self.complaints = [], []

    def __enter__(self):
        binary = chromium()
        to_browser, self.out = os.pipe()
        self.answers, from_browser = os.pipe()
        command = [binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
                   f"--window-size={self.width},{self.height}", f"--user-data-dir={self.profile}", "about:blank"]
        # The browser reads descriptor 3 and writes descriptor 4; ours may have these numbers.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_browser, from_browser)]
        self.process = subprocess.Popen(command, close_fds=False, stdout=subprocess.DEVNULL, stderr=open(self.profile / "log", "w"),
                                        preexec_fn=lambda: (os.dup2(ends[0], 3), os.dup2(ends[1], 4)))
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        targets = self.call("Target.getTargets", session=None)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", session=None, targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session="page", **parameters):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + ANSWER_S
        while True:
            answer = self.receive(end, method)
            if answer.get("id") == self.next_id:
                expect("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]
            self.note(answer)

    def receive(self, end, method):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.answers, 1 << 16) if ready else b""
            if not piece:
                raise Failure(f"the browser did not answer {method}: {(self.profile / 'log').read_text()[-500:]}")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        """What a page says on its console that no page should say."""
        method, parameters = event.get("method"), event.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([argument.get("value") for argument in parameters["args"]]))
        if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        end = time.monotonic() + ANSWER_S
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive(end, "Page.navigate"))

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        expect("exceptionDetails" not in answer, f"{expression}: {answer.get('exceptionDetails')}")
        return answer["result"].get("value")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        text, code = KEYS.get(key, (key, ord(key.upper()) if len(key) == 1 else 0))
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **extra)

    def resize(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.emulate(features={"prefers-color-scheme": "dark" if dark else "light"})

    def emulate(self, media="", features=None):
        """What the page is shown on, and what its reader prefers; without arguments nothing of it."""
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": name, "value": value} for name, value in (features or {}).items()])

    def paper(self, path):
        """The page as it is printed, a PDF."""
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def window_picture(self, path):
        """What the window shows, as a PNG."""
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def picture(self, path):
        """The whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
