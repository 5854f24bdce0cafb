"""One metric of a run as an SVG file of its own: the curve of the HTML report with a title, on white."""

from collections.abc import Sequence
from importlib.resources import files

from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.report.html.curve import HEIGHT, WIDTH, curve_svg
from diagnostics.report.html.elements import Markup, element
from diagnostics.visible_text import one_line
from diagnostics.wording.series import series_title

_HEAD = 34  # for the title and the line below it
_SIZE = 2  # pixels for each unit, where whoever shows it asks how large it is


def picture(run: Run, series: Series, outcomes: Sequence[Outcome]) -> str:
    """The file's text; the series has at least one point."""
    width, height = WIDTH, HEIGHT + _HEAD
    words = " · ".join(filter(None, (one_line(run.name), series.tag, series.unit)))
    drawn = element(
        "svg",
        element("style", _style()),
        element("rect", width=width, height=height, style="fill: var(--surface)"),
        element("text", series_title(series), x=4, y=14, style="fill: var(--ink); font-size: 12px; font-weight: 600"),
        element("text", words, class_="tick", x=4, y=28),
        element("svg", curve_svg(series, outcomes, 1), y=_HEAD, width=WIDTH, height=HEIGHT),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width * _SIZE,
        height=height * _SIZE,
        font_family="system-ui, sans-serif",
        font_size=10,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'


def _style() -> Markup:
    """The report's light colours, and its rules for curves."""
    style = files("diagnostics.report.html").joinpath("page.css").read_text("utf-8")
    colours = style[: style.index("}") + 1]
    rules = [line for line in style.splitlines() if line.startswith("svg .")]
    return Markup("\n".join((colours, *rules)))
