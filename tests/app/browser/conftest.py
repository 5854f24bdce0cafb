"""A real dashboard, real trainings and a real Chromium: the fixtures of the browser tests."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from diagnostics.runlog import EVENTS_FILE, STATUS_FILE
from diagnostics.runlog.process import ProcessIdentity

PATIENCE = 30.0  # seconds: importing torch alone takes ten on busy cores
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # root in a container has no user namespaces
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP runs.example 127.0.0.1",  # as DNS can be made to answer
)
# Streamlit exposes no handle to its charts: each is the element with the metric's name as its revision.
FIND = "metric => [...document.querySelectorAll('.js-plotly-plot')].find(plot => plot.layout?.uirevision === metric)"
VALUES = f"""metric => {{
  const plot = ({FIND})(metric);
  return [...(plot?._fullData?.find(trace => trace.name === 'value')?.y ?? [])];
}}"""
BOX = f"""metric => {{
  const plot = ({FIND})(metric);
  plot.scrollIntoView({{block: 'center'}});
  return plot.querySelector('.nsewdrag').getBoundingClientRect().toJSON();
}}"""
PROBE = re.compile(r":\d+(/\w+)+/_stcore/")  # Streamlit first looks for its server below the page's own address
FIRST_ROW = (120, 48)  # pixels from a table's corner to its first name
VIEWPORT = {"width": 1280, "height": 800}


def wait_until(look: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """The first truthy value of `look`; fails, naming `what`, after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {seconds:.0f} s for {what}")


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One `rlvitals` process and its printed address, with the token that it asks for."""

    process: subprocess.Popen[bytes]
    url: str

    def page(self, name: str, **parameters: object) -> str:
        """The address of a page, with the token of the printed one."""
        root, _, token = self.url.partition("?")
        return f"{root.rstrip('/')}/{name}?{'&'.join(filter(None, (urlencode(parameters), token)))}"

    def url_of(self, run_dir: Path) -> str:
        """The address of a run's page."""
        return self.page("run", run=run_dir)

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        end(self.process)


@dataclass(frozen=True, slots=True)
class Training:
    """A training observed from outside, through its run directory."""

    run_dir: Path

    @property
    def status(self) -> dict[str, Any]:
        """The contents of status.json; empty before it is written."""
        path = self.run_dir / STATUS_FILE
        return orjson.loads(path.read_bytes()) if path.exists() else {}

    @property
    def step(self) -> int:
        """The last step in the log, since the status may lag behind it; 0 before the first."""
        path = self.run_dir / EVENTS_FILE
        whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        return int(orjson.loads(whole[-1])["step"]) if whole else 0

    @property
    def is_alive(self) -> bool:
        """Whether the same process that writes the run is still alive."""
        return self._process.is_alive

    def wait_for_step(self, step: int) -> None:
        wait_until(lambda: self.step >= step, f"step {step} of {self.run_dir.name}")

    def wait_for_end(self) -> None:
        wait_until(lambda: not self.is_alive, f"the process of {self.run_dir.name} to end")

    def kill(self) -> None:
        """Send SIGKILL if it is alive and not a run that the tests write themselves."""
        if self.is_alive and self._process.pid != os.getpid():
            os.kill(self._process.pid, signal.SIGKILL)

    @property
    def _process(self) -> ProcessIdentity:
        status = self.status
        return ProcessIdentity(status["host"], status["boot_id"], status["pid"], status["started"])


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart of one metric, located by the series it draws."""

    page: Page
    metric: str

    def wait_for_points(self, count: int) -> None:
        """Wait until the curve has at least this many points; the browser checks on every frame."""
        argument = {"metric": self.metric, "count": count}
        self.page.wait_for_function(f"({{metric, count}}) => ({VALUES})(metric).length >= count", arg=argument)

    @property
    def values(self) -> list[float]:
        """The values of the curve, step by step."""
        return self.page.evaluate(VALUES, self.metric)

    @property
    def x_range(self) -> list[float]:
        """The range of steps shown by the chart."""
        return self.page.evaluate(f"metric => ({FIND})(metric)._fullLayout.xaxis.range", self.metric)

    def zoom(self) -> list[float]:
        """Drag over the right half of the plot as a user does; returns the steps then shown."""
        before = self.x_range
        box = self.page.evaluate(BOX, self.metric)
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + box["width"] * 0.4, y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + box["width"] * 0.8, y, steps=5)
        self.page.mouse.up()
        wait_until(lambda: self.x_range != before, "the chart to zoom")
        return self.x_range


@dataclass  # no slots: Playwright sets an attribute on the owner of a handler
class Screen:
    """One browser page together with its console errors."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._on_console_message)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _on_console_message(self, message: ConsoleMessage) -> None:
        address = message.location["url"]
        if message.type == "error" and not PROBE.search(address):
            self.complaints.append(f"{message.text} ({address})")

    def chart(self, metric: str) -> Chart:
        """The chart of a metric by its canonical name, once it has appeared."""
        self.page.wait_for_function(f"metric => ({FIND})(metric)", arg=metric)
        return Chart(self.page, metric)

    @property
    def scroll(self) -> float:
        """The page's scroll position in pixels."""
        return self.page.get_by_test_id("stMain").evaluate("main => main.scrollTop")

    def scroll_to(self, pixels: int) -> float:
        """Scroll to this position; returns the one reached."""
        self.page.get_by_test_id("stMain").evaluate("(main, pixels) => main.scrollTo(0, pixels)", pixels)
        return self.scroll

    def open_details(self, name: str) -> None:
        """Select one of the parts below a run's charts and wait until it is drawn."""
        choice = self.page.get_by_role("radio", name=name)
        choice.click()
        expect(choice).to_be_checked()
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()

    def wait_for_cell(self, text: str, count: int = 1) -> None:
        """Wait until this many cells of the page's tables have exactly this text."""
        cells = self.page.locator("[role=gridcell]")  # below the canvas that the table is drawn on
        expect(cells.filter(has_text=re.compile(f"^{re.escape(text)}$"))).to_have_count(count)

    def click_first_row(self) -> None:
        """Click the name in the first row of the page's first table."""
        box = self.page.get_by_test_id("stDataFrame").first.bounding_box()
        assert box is not None
        self.page.mouse.click(box["x"] + FIRST_ROW[0], box["y"] + FIRST_ROW[1])

    def close(self) -> None:
        """Leave the page, as when a user closes the tab; its errors are kept."""
        if not self.page.is_closed():
            self.complaints = self.problems()
            self.page.context.close()

    def problems(self) -> list[str]:
        """Console errors, exceptions shown by Streamlit, and a page wider than its window."""
        exceptions = self.page.get_by_test_id("stException").all_inner_texts()
        width = self.page.get_by_test_id("stMain").evaluate("main => main.scrollWidth")
        wide = [f"the page is {width} px wide"] if width > VIEWPORT["width"] else []
        return [*self.complaints, *exceptions, *wide]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        pytest.fail(f"no {', '.join(CHROMIUM_NAMES)} on PATH; install the Debian package: apt-get install chromium")
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_screen(chromium: Browser) -> Iterator[Callable[..., Screen]]:
    """Opens an address in a fresh browser profile; at teardown no screen may have had an error."""
    screens: list[Screen] = []

    def open_one(url: str, theme: str = "light") -> Screen:
        context = chromium.new_context(viewport=VIEWPORT, color_scheme=theme)
        context.set_default_timeout(PATIENCE * 1000)
        screens.append(Screen(context.new_page()))
        screens[-1].page.goto(url)
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.close()
    troubles = [trouble for screen in screens for trouble in screen.complaints]
    assert troubles == []


@pytest.fixture
def start_dashboard(tmp_path: Path) -> Iterator[Callable[..., Dashboard]]:
    """Starts `rlvitals` with these arguments in tmp_path, as a user would in a terminal."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str | Path) -> Dashboard:
        output = tmp_path / f"dashboard-{len(processes)}.out"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [rlvitals(), *map(str, arguments)], cwd=tmp_path, stdout=file, stderr=subprocess.STDOUT
            )
        processes.append(process)
        return Dashboard(process, wait_until(lambda: _address(output, process), "rlvitals to print its address"))

    yield start
    for process in processes:
        end(process)


@pytest.fixture
def training_in(tmp_path: Path) -> Iterator[type[Training]]:
    """A training by its run directory; at teardown whatever still trains below tmp_path is killed."""
    yield Training
    for status in tmp_path.rglob(STATUS_FILE):
        Training(status.parent).kill()


@pytest.fixture
def start_training(tmp_path: Path, training_in: type[Training]) -> Iterator[Callable[..., Training]]:
    """Starts `rlvitals train` with these arguments and waits for its first step."""
    commands: list[subprocess.Popen[bytes]] = []

    def start(run_dir: Path, *arguments: str) -> Training:
        command = [rlvitals(), "train", *arguments, "--run_dir", str(run_dir)]
        silent = subprocess.DEVNULL
        commands.append(subprocess.Popen(command, cwd=tmp_path, stdout=silent, stderr=silent))
        training = training_in(run_dir)
        training.wait_for_step(1)
        return training

    yield start
    for command in commands:
        end(command)


def end(process: subprocess.Popen[bytes]) -> None:
    """Send SIGINT to one process by its own pid; kill it if that does not help."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def rlvitals() -> str:
    """The installed console script of the Python that runs the tests."""
    return str(Path(sys.executable).with_name("rlvitals"))


def _address(output: Path, process: subprocess.Popen[bytes]) -> str | None:
    text = output.read_text()
    if process.poll() is not None:
        pytest.fail(f"rlvitals ended with {process.returncode}: {text}")
    return next((word for word in text.split() if word.startswith("http://127.0.0.1:")), None)
