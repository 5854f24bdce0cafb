"""The pictures in docs/screenshots and docs/run.png: every page in its important states, in both themes.

    python -m docs.generate.screenshots

starts the dashboard on copies of the sample runs, opens each shot in headless Chromium, and writes it as WebP.
"""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_runs"
FOLDER, README_PICTURE = ROOT / "docs" / "screenshots", ROOT / "docs" / "run.png"
THEMES = ("light", "dark")

_CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_NARROW, _USUAL, _WIDE = (800, 900), (1280, 800), (2200, 1200)
_COLOURS = 128  # of the picture in the README
_PATIENCE = 60_000  # milliseconds
_SETTLED = 600  # milliseconds in which charts draw what has come
_READY = """() => document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')
  && document.querySelector('.rlj-field') && !document.body.innerText.includes('reading …')
  && [...document.querySelectorAll('.rlvitals-chart')].every(({ chart }) => !chart.isInView || chart.plot)"""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: a page, the parameters of its address, the window, the keys that are pressed, and its last sign."""

    name: str
    page: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    size: tuple[int, int] = _USUAL
    keys: tuple[str, ...] = ()
    sign: str = ".rlj-field"
    """What is drawn last."""


def _of(run: str, **more: object) -> dict[str, object]:
    return {"run": f"runs/{run}", **more}


_LISTED, _DRAWN = ".rlv-row-healthy", ".rlvitals-chart canvas"
_COMPARED = {"run": ["runs/cut-off", "runs/healthy-grpo"]}
SHOTS = (
    Shot("runs", sign=_LISTED),
    Shot("runs-800", size=_NARROW, sign=_LISTED),
    Shot("runs-filtered", parameters={"filter": "verdict:critical"}, sign=".rlv-row-critical"),
    Shot("run-sick", "run", _of("value-loss-nan"), sign=_DRAWN),
    Shot("run-healthy", "run", _of("healthy-ppo"), sign=_DRAWN),
    Shot("run-800", "run", _of("cut-off"), _NARROW, sign=_DRAWN),
    Shot("run-2200", "run", _of("value-loss-nan"), _WIDE, sign=_DRAWN),
    Shot("metrics", "run", _of("cut-off", section="metrics"), sign=".rlm-metrics td"),
    Shot("samples", "run", _of("cut-off", section="samples"), sign=".rls-detail dl"),
    Shot("checks", "run", _of("negative-kl", section="checks"), sign=".rlc-row"),
    Shot("time", "run", _of("healthy-ppo", section="time"), sign=".rlvitals-plot .main-svg"),
    Shot("config", "run", _of("cut-off", section="config"), sign="[data-testid=stDataFrame] canvas"),
    Shot("run-missing", "run", _of("nowhere")),
    Shot("run-chinese", "run", _of("cut-off", lang="zh"), sign=_DRAWN),
    Shot("launch-chinese", "launch", {"lang": "zh"}, sign="[data-testid=stBaseButton-primary]"),
    Shot("compare", "compare", _COMPARED, sign=_DRAWN),
    Shot("launch", "launch", sign="[data-testid=stBaseButton-primary]"),
    Shot("learn", "learn"),
    Shot("learn-entry", "learn", {"entry": "kl-negative"}),
    Shot("jump", keys=("Control+k", "k", "l"), sign=_LISTED),
    Shot("keys", "run", _of("cut-off", section="samples"), keys=("?",), sign=".rls-detail dl"),
)
EMPTY = (Shot("empty", sign=_LISTED),)
"""The first visit, without a run of one's own."""


def main() -> None:
    """Take every picture, and remove those of shots that are no more."""
    _check_fonts()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with _home() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with _dashboard(home) as address:
            _take(browser, address, EMPTY)
        for description in SAMPLES.glob("*/run.json"):
            shutil.copytree(description.parent, home / "runs" / description.parent.name)
        with _dashboard(home, "runs") as address:
            _take(browser, address, SHOTS)
        browser.close()
    _write_readme_picture()


@contextmanager
def _home() -> Iterator[Path]:
    """A folder that is always called the same, since pages show its path."""
    home = Path(tempfile.gettempdir(), "rlvitals-screenshots")
    home.mkdir()
    try:
        yield home
    finally:
        shutil.rmtree(home)


def _check_fonts() -> None:
    found = subprocess.run(["fc-list", ":lang=zh"], stdout=subprocess.PIPE, text=True, check=True)
    if not found.stdout:
        sys.exit("no font has Chinese letters, which are on every page; on Debian: apt-get install fonts-wqy-microhei")


def _chromium() -> str:
    found = next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    if found is None:
        sys.exit(f"none of {', '.join(_CHROMIUM_NAMES)} is on PATH; on Debian: apt-get install chromium-headless-shell")
    return found


@contextmanager
def _dashboard(home: Path, *paths: str) -> Iterator[str]:
    """A dashboard in a folder, with a user's data of its own; its address is that which it prints."""
    command = [Path(sys.executable).with_name("rlvitals"), "ui", *paths]
    environment = {**os.environ, "XDG_DATA_HOME": str(home / "data")}
    process = subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield next(found.group() for line in process.stdout if (found := re.search(r"http://127\S+", line)))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def _take(browser: Browser, address: str, shots: tuple[Shot, ...]) -> None:
    for theme in THEMES:
        context = browser.new_context(color_scheme=theme)
        context.set_default_timeout(_PATIENCE)
        page = context.new_page()
        page.goto(address)  # the token becomes a cookie
        root = address.partition("?")[0].rstrip("/")
        for shot in shots:
            _take_one(page, f"{root}/{shot.page}?{urlencode(shot.parameters, doseq=True)}", shot, theme)
        context.close()


def _take_one(page: Page, address: str, shot: Shot, theme: str) -> None:
    width, height = shot.size
    page.set_viewport_size({"width": width, "height": height})
    page.goto(address)
    page.wait_for_selector(shot.sign)
    page.wait_for_function(_READY)
    page.wait_for_timeout(_SETTLED)
    for key in shot.keys:
        page.keyboard.press(key)
    if shot.keys:
        page.wait_for_timeout(_SETTLED)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(FOLDER / f"{shot.name}-{theme}.webp", lossless=True, method=4)


def _write_readme_picture() -> None:
    picture = Image.open(FOLDER / "run-sick-light.webp").convert("RGB")
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(README_PICTURE, optimize=True)


if __name__ == "__main__":
    main()
