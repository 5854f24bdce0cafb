"""A real dashboard, real trainings and a real Chromium: the fixtures of the browser tests."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from diagnostics.runlog import EVENTS_FILE, STATUS_FILE
from diagnostics.runlog.parent import SAMPLE_RUNS
from diagnostics.runlog.process import ProcessIdentity

PATIENCE = 30.0  # seconds: importing torch alone takes ten on busy cores
_STILL_LOOKS = 4  # equal ones, one after the other, before a chart counts as standing still
_SECONDS_A_STEP = 2.0  # of a training, at most, while other tests keep all cores busy
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # root in a container has no user namespaces
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP runs.example 127.0.0.1",  # as DNS can be made to answer
)
# Each chart is a figure that bears its metric's name and knows the object that draws it.
FIND = (
    "metric => [...document.querySelectorAll('.rlvitals-chart')].find(place => place.dataset.metric === metric)?.chart"
)
VALUES = f"metric => [...(({FIND})(metric)?.main.values ?? [])]"
RANGE = f"metric => {{ const {{ min, max }} = ({FIND})(metric).plot.scales.x; return [min, max]; }}"
BOX = f"""metric => {{
  const chart = ({FIND})(metric);
  chart.place.scrollIntoView({{block: 'center'}});
  return chart.plot.over.getBoundingClientRect().toJSON();
}}"""
TRL_RUNS = Path(__file__).parents[2] / "fixtures" / "trl"
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
        return f"{root.rstrip('/')}/{name}?{'&'.join(filter(None, (urlencode(parameters, doseq=True), token)))}"

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
        seconds = max(PATIENCE, step * _SECONDS_A_STEP)
        wait_until(lambda: self.step >= step, f"step {step} of {self.run_dir.name}", seconds)

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
        """Wait until the chart knows at least this many points, in view or not; the browser checks on every frame."""
        argument = {"metric": self.metric, "count": count}
        self.page.wait_for_function(f"({{metric, count}}) => ({FIND})(metric)?.main.count >= count", arg=argument)

    @property
    def values(self) -> list[float]:
        """The values of the curve, step by step."""
        return self.page.evaluate(VALUES, self.metric)

    @property
    def x_range(self) -> list[float]:
        """The range of steps shown by the chart."""
        return self.page.evaluate(RANGE, self.metric)

    @property
    def box(self) -> dict[str, float]:
        """Where the plot lies in the window, in pixels, scrolled into view, once what is above it is drawn."""
        looks: list[dict[str, float]] = []

        def stands_still() -> bool:
            looks.append(self.page.evaluate(BOX, self.metric))
            return len(looks) >= _STILL_LOOKS and looks[-_STILL_LOOKS:] == looks[-1:] * _STILL_LOOKS

        wait_until(stands_still, f"the chart of {self.metric} to stand still")
        return looks[-1]

    def zoom(self, start: float = 0.4, end: float = 0.8) -> list[float]:
        """Drag from one part of the plot's width to another as a user does; returns the steps then shown."""
        before, box = self.x_range, self.box
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + box["width"] * start, y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + box["width"] * end, y, steps=5)
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
        if message.type == "error":
            self.complaints.append(f"{message.text} ({address})")

    def chart(self, metric: str) -> Chart:
        """The chart of a metric by its canonical name, once it has appeared."""
        self.page.wait_for_function(f"metric => ({FIND})(metric)?.plot", arg=metric)
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
        choice, shown = self.page.get_by_role("radio", name=name), self.page.url
        if not choice.is_checked():
            choice.click()
            expect(choice).to_be_checked()
            expect(self.page).not_to_have_url(shown)  # the section is in the address once the server draws it
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()

    def row(self, name: str) -> Locator:
        """The row of the list that has a link with exactly this text."""
        return self.page.get_by_role("row").filter(has=self.page.get_by_role("link", name=name, exact=True))

    @property
    def run_names(self) -> list[str]:
        """The names of the listed runs, from top to bottom."""
        return self.page.locator(".rlv-name").all_text_contents()

    def wait_for_names(self, *names: str) -> None:
        """Wait until the list holds exactly these runs in this order, all of them read."""
        expect(self.page.locator(".rlv-name")).to_have_text(list(names))
        expect(self.page.get_by_text("reading …")).to_have_count(0)

    def close(self) -> None:
        """Leave the page, as when a user closes the tab; its errors are kept."""
        if not self.page.is_closed():
            self.complaints = self.problems()
            self.page.context.close()

    def problems(self) -> list[str]:
        """Console errors, exceptions shown by Streamlit, and a page wider than its window."""
        exceptions = self.page.get_by_test_id("stException").all_inner_texts()
        width = self.page.get_by_test_id("stMain").evaluate("main => main.scrollWidth")
        size = self.page.viewport_size
        wide = [f"the page is {width} px wide"] if size and width > size["width"] else []
        return [*self.complaints, *exceptions, *wide]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        names = ", ".join(CHROMIUM_NAMES)
        pytest.fail(f"none of {names} is on PATH; on Debian: apt-get install chromium-headless-shell")
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


@contextmanager
def starting_dashboards(folder: Path) -> Iterator[Callable[..., Dashboard]]:
    """Starts `rlvitals` with these arguments in a folder, as a user would in a terminal; all end with the block."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str | Path) -> Dashboard:
        output = folder / f"dashboard-{len(processes)}.out"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [rlvitals(), *map(str, arguments)], cwd=folder, stdout=file, stderr=subprocess.STDOUT
            )
        processes.append(process)
        return Dashboard(process, wait_until(lambda: _address(output, process), "rlvitals to print its address"))

    yield start
    for process in processes:
        end(process)


@pytest.fixture
def start_dashboard(tmp_path: Path) -> Iterator[Callable[..., Dashboard]]:
    """Starts `rlvitals` with these arguments in tmp_path."""
    with starting_dashboards(tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def lasting_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `dashboard`, for runs that several tests look at."""
    return tmp_path_factory.mktemp("lasting")


@pytest.fixture(scope="session")
def dashboard(lasting_runs: Path) -> Iterator[Dashboard]:
    """One dashboard for all tests that only look at runs: those of `runs`, the sample runs and the fixtures of TRL."""
    with starting_dashboards(lasting_runs) as start:
        yield start(lasting_runs, SAMPLE_RUNS, TRL_RUNS)


@pytest.fixture
def runs(lasting_runs: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder of runs that `dashboard` shows during this test; ask for it before `open_screen`, which ends first."""
    folder = lasting_runs / tmp_path.name
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


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
