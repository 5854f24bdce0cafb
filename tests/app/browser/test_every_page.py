"""Every page in both languages and both themes: no error, nothing too wide or too faint, and no English in Chinese."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import TimeoutError, expect

from app.theme import DARK, LIGHT
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.app.browser.conftest import TRL_RUNS, Dashboard, Screen
from tests.app.browser.legibility import faded, untranslated

Fixture = Callable[..., Any]

WIDTHS = (800, 2560, 1280)
FITS = "() => { const main = document.querySelector('[data-testid=stMain]'); return main.scrollWidth <= innerWidth; }"
Theme = Literal["light", "dark"]
GROUNDS: dict[Theme, str] = {"light": LIGHT.ground, "dark": DARK.ground}
IS_DARK = "() => matchMedia('(prefers-color-scheme: dark)').matches"
HAS_COLOURS = """ground => {
  const app = document.querySelector('[data-testid=stApp]');
  const hasThem = (place) => getComputedStyle(place).getPropertyValue('--rlvitals-ground') === ground;
  const charts = document.querySelectorAll('.rlvitals-chart');
  return app.dataset.testScriptState === 'notRunning' && [app, ...charts].every(hasThem);
}"""
SECONDS_TO_FIT = 3.0  # after the window has got another width
SICK, FOREIGN = SAMPLE_RUNS / "cut-off", TRL_RUNS / "ppo112_min" / "out"


@dataclass(frozen=True, slots=True)
class Stop:
    """A page in one state: its name, its address, and what is drawn last."""

    name: str
    page: str = ""
    sign: str = ".rlv-runs"
    parameters: dict[str, object] = field(default_factory=dict)


def _sections() -> Iterator[Stop]:
    signs = {
        "charts": ".rlvitals-chart canvas",
        "samples": ".rls-detail dl",
        "metrics": ".rlm-metrics td",
        "distributions": ".rlvitals-plot .main-svg",
        "time": ".rlvitals-plot .main-svg",
        "config": "[data-testid=stDataFrame] canvas",
        "console": "pre",
        "checks": ".rlc-row",
    }
    yield from (
        Stop(f"{name} of a sick run", "run", sign, {"run": SICK, "section": name}) for name, sign in signs.items()
    )
    for name in ("samples", "distributions", "time", "console"):
        empty = Stop(f"{name} that were not logged", "run", "[data-testid=stCaptionContainer]")
        empty.parameters.update(run=FOREIGN, section=name)
        yield empty


STOPS = (
    Stop("runs"),
    Stop("no run that matches", parameters={"filter": "verdict:critical kl>1e9"}, sign=".rlv-message"),
    Stop("no filter at all", parameters={"filter": "learning_rat>"}),
    Stop("no such page", "no/such/page", "[data-testid=stAlert]"),
    *_sections(),
    Stop("no such run", "run", "[data-testid=stAlert]", {"run": SAMPLE_RUNS / "nowhere"}),
    Stop("compare", "compare", ".rlvitals-chart canvas", {"run": [SICK, SAMPLE_RUNS / "healthy-grpo"]}),
    Stop("nothing to compare", "compare", "[data-testid=stMultiSelect]"),
    Stop("launch", "launch", "[data-testid=stBaseButton-primary]"),
    Stop("learn", "learn", "[data-testid=stTextInput]"),
    Stop("a rule", "learn", ".rlvitals-chart >> nth=1", {"entry": "kl-negative"}),
    Stop("a cause", "learn", ".rlvitals-chart >> nth=1", {"entry": "drastic-updates"}),
    Stop("a metric", "learn", ".rlvitals-chart >> nth=1", {"entry": "ratio_mean"}),
    Stop("no such entry", "learn", "[data-testid=stAlert]", {"entry": "kl-negativ"}),
)


def test_every_page_can_be_read_in_both_languages_and_themes_at_any_width(
    dashboard: Dashboard, open_screen: Fixture
) -> None:
    screens = {code: open_screen(dashboard.page("", lang=code)) for code in ("zh", "en")}
    found: dict[str, list[str]] = {}
    for stop in STOPS:
        for code, screen in screens.items():  # one page is drawn while the other is looked at
            screen.page.goto(dashboard.page(stop.page, **stop.parameters, lang=code), wait_until="commit")
        for screen in screens.values():
            expect(screen.page.locator(stop.sign).first).to_be_visible()
            expect(screen.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
        _look(screens, stop.name, found)
        for code, screen in screens.items():
            found[f"{stop.name} ({code})"] += _misfits(screen)
    for key, name in (("?", "keys"), ("Control+k", "jump")):
        for screen in screens.values():
            screen.page.keyboard.press(key)
            expect(screen.page.locator("dialog[open]")).to_be_visible()
        _look(screens, name, found)
        for screen in screens.values():
            screen.page.keyboard.press("Escape")
    troubles = {name: each for name, each in found.items() if each}
    assert troubles == {}, json.dumps(troubles, indent=1, ensure_ascii=False)


def _look(screens: dict[str, Screen], name: str, found: dict[str, list[str]]) -> None:
    """Note what cannot be read in its language, in the theme of now, or in the other one, which the pages then keep."""
    for code, screen in screens.items():
        found[f"{name} ({code})"] = untranslated(screen.page) if code == "zh" else []
    pages = [screen.page for screen in screens.values()]
    themes: list[Theme] = ["dark", "light"] if pages[0].evaluate(IS_DARK) else ["light", "dark"]
    for theme in themes:
        for page in pages:
            page.emulate_media(color_scheme=theme)
        for code, screen in screens.items():
            screen.page.wait_for_function(HAS_COLOURS, arg=GROUNDS[theme])
            found[f"{name} ({code})"] += [f"{text} in {theme}" for text in faded(screen.page)]


def _misfits(screen: Screen) -> list[str]:
    """What is wrong with a page at each width."""
    found = []
    for width in WIDTHS:
        screen.page.set_viewport_size({"width": width, "height": 900})
        with suppress(TimeoutError):  # what is too wide for good is among the problems
            screen.page.wait_for_function(FITS, timeout=SECONDS_TO_FIT * 1000)
        found += [f"{trouble} at {width}" for trouble in screen.problems()]
    return found
