"""The dashboard's benchmark: its run has the charts that are counted, a curve is seen, lines say what is."""

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.dashboard import _cells, _page, _share
from benchmarks.dashboards.data import TAGS, event_file
from benchmarks.dashboards.drawing import NotDrawn, drawn_in
from benchmarks.dashboards.opening import FIRST_CHARTS, OUR_FIRST_SECTION, Opening
from diagnostics.api import open_run
from diagnostics.curves.selection import crucial_series, other_series


def test_ours_shows_the_runs_forty_charts_and_as_many_first_as_are_waited_for(tmp_path: Path) -> None:
    event_file(tmp_path, 5)
    run = open_run(tmp_path)
    assert len(TAGS) == len(set(TAGS)) == 40
    crucial = [series for series in crucial_series(run) if len(series)]
    assert (len(crucial), len(crucial) + len(other_series(run))) == (OUR_FIRST_SECTION, len(TAGS))
    assert FIRST_CHARTS <= OUR_FIRST_SECTION
    assert np.isfinite(run.series["reward"].values).all()


def test_a_plot_counts_once_a_curve_is_in_it_and_all_of_it_is_in_the_picture() -> None:
    picture = Image.new("RGB", (300, 200), "white")
    draw = ImageDraw.Draw(picture)
    draw.line([(0, 150), (300, 150)], "#59616B")  # an axis
    draw.line([(10, 20), (90, 80)], "#0065A3", width=2)  # a curve
    taken = io.BytesIO()
    picture.save(taken, "jpeg", quality=90)
    boxes = [
        {"x": x, "y": 0.0, "width": 100.0, "height": height}
        for x, height in ((0.0, 190.0), (150.0, 190.0), (0.0, 300.0))
    ]
    assert [drawn_in(taken.getvalue(), [box]) for box in boxes] == [1, 0, 0]


def test_lines_tell_medians_ratios_and_what_did_not_come_in_time() -> None:
    ours, theirs = [Opening(1.0, 0.5), Opening(2.0, 0.7), Opening(9.0, 0.6)], [Opening(4.0, 1.0)] * 3
    assert _cells(ours) == "2.00 | 1.00–9.00 | 0.60"
    assert (_share(ours, theirs, "TensorBoard"), _share(ours, ours, "rlvitals")) == ("0.50 ×", "–")
    late = [Opening(NotDrawn(7, 12), 0.5), Opening(3.0, 0.5), Opening(3.0, 0.5)]
    assert _cells(late) == "7 of 12 in time, 1 × | – | 0.50"
    assert _share(ours, late, "trackio") == "–"


def test_the_page_holds_every_part_that_was_measured_in_their_order() -> None:
    parts = {name: {"lines": [f"## {name}"], "when": "today"} for name in ("live", "twelve")}
    page = _page(parts)
    assert page.index("## twelve") < page.index("## live")
    assert "## list" not in page
