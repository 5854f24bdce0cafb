"""Every text of the theme reads on its ground, in both modes."""

import tomllib
from pathlib import Path

import pytest

import app
from app.theme import DARK, LIGHT, Palette

CONFIG = Path(app.__file__).parent / ".streamlit" / "config.toml"
LEAST = 4.5  # to 1: WCAG AA for text
HUES = ("red", "orange", "blue", "green", "gray")


def luminance(colour: str) -> float:
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert round(contrast("#FFFFFF", "#000000")) == 21
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_text_reads_on_its_ground(mode: str) -> None:
    theme = tomllib.loads(CONFIG.read_text("utf-8"))["theme"][mode]
    grounds = (theme["backgroundColor"], theme["secondaryBackgroundColor"])
    texts = [theme["textColor"], theme["linkColor"], *(theme[f"{hue}TextColor"] for hue in HUES)]
    pairs = [(text, ground) for text in texts for ground in grounds]
    pairs += [(theme[f"{hue}TextColor"], theme[f"{hue}BackgroundColor"]) for hue in HUES]
    pairs += [(theme["textColor"], theme[f"{hue}BackgroundColor"]) for hue in ("red", "green")]  # of a difference
    pairs += [("#FFFFFF", theme["primaryColor"]), (theme["backgroundColor"], theme["linkColor"])]  # of buttons
    assert {pair: contrast(*pair) for pair in pairs if contrast(*pair) < LEAST} == {}


@pytest.mark.parametrize(("palette", "ground"), [(LIGHT, "#FFFFFF"), (DARK, "#101418")])
def test_the_words_of_charts_read_on_the_page(palette: Palette, ground: str) -> None:
    assert min(contrast(palette.ink, ground), contrast(palette.muted, ground), contrast(palette.line, ground)) >= LEAST
