"""Headless Chromium, driven over its own debugging pipe: what a page draws, says and asks for."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-extensions", "--disable-background-networking", "--disable-component-update"),
    *("--remote-debugging-pipe", "--disable-features=Translate"),
]


class Page:
    """One tab: every event since it was opened is in `events`."""

    def __init__(self, sink: int, source: int) -> None:
        self._sink, self._source, self._rest, self._last = sink, source, b"", 0
        self.events: list[dict[str, Any]] = []
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the Chrome DevTools Protocol and return its result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        os.write(
            self._sink, json.dumps(message | ({"sessionId": self._session} if self._session else {})).encode() + b"\0"
        )
        while (reply := self._read()).get("id") != self._last:
            self.events.append(reply)
        assert "error" not in reply, (method, reply["error"])
        found: dict[str, Any] = reply["result"]
        return found

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._source, 1 << 20)
            assert piece, "Chromium has ended"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def run(self, script: str) -> Any:
        """Return what a script gives; a promise is awaited."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait for a condition of the page."""
        look = f"const look = () => {{ {condition} ? done(true) : Date.now() < end ? setTimeout(look, 10) : done(false); }};"
        assert self.run(f"new Promise((done) => {{ const end = Date.now() + 60000; {look} look(); }})"), condition

    def open(self, path: Path, address: str = "") -> None:
        """Open a page of this package, until it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + address)
        self.until(
            "document.readyState === 'complete' && (document.body.dataset.ready || !document.querySelector('#data'))"
        )

    def click(self, selector: str) -> None:
        """Click what is there, with the mouse."""
        place = self.run(
            f"(() => {{ const found = document.querySelector({selector!r}); found.scrollIntoView({{block: 'center'}});"
            " const box = found.getClientRects()[0]; return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        self.drag(place, place)

    def drag(self, start: list[float], end: list[float]) -> None:
        """Press the mouse at a place, and release it at another."""
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        for char in text:
            self.call("Input.dispatchKeyEvent", type="char", text=char)

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call(
            "Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}]
        )

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self) -> list[str]:
        """Return what the console says, and what was thrown."""
        self.run("0")  # events come before the reply
        found = [
            event
            for event in self.events
            if event.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        ]
        return [json.dumps(event["params"]) for event in found]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for, without the page itself."""
        self.run("0")
        sent = [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in sent if not url.startswith(("file:", "data:", "about:"))]


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """Start Chromium, and end it afterwards. It reads commands from descriptor 3, and writes to 4."""
    assert BROWSER
    command = ["sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1', "sh", BROWSER, *FLAGS]
    command.append(f"--user-data-dir={profile}")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield Page(process.stdin.fileno(), process.stdout.fileno())
        finally:
            process.kill()
