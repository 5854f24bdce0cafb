"""The overlay of one metric of several runs: lines told apart without colour, letters, seeds, limits, a reference."""

from pathlib import Path
from typing import Any

import pytest

from app.figures.overlay import COLOURS, colour_of, dash_of, hex_of, letters_of, overlay
from app.theme import DARK, LIGHT, Palette
from diagnostics.api import diagnose, open_run
from diagnostics.comparison import LETTERS, MOST_RUNS, SideBySide, side_by_side
from diagnostics.runlog import RunLog


def side_of(folder: Path, *runs: dict[str, Any]) -> SideBySide:
    """Runs of ten steps; each is told by the values of a step and by its settings."""
    return side_by_side([diagnose(open_run(write(folder / str(place), **run))) for place, run in enumerate(runs)])


def write(path: Path, config: dict[str, Any] | None = None, **values: float) -> Path:
    with RunLog(path, algorithm="grpo", config=config or {"learning_rate": 1e-6 * int(path.name)}) as log:
        for step in range(1, 11):
            log.log(step, {name.replace("__", "/"): value for name, value in values.items()})
    return path


def test_no_two_runs_look_alike_and_the_first_ones_differ_without_colour() -> None:
    looks = [(dash_of(place), colour_of(place)) for place in range(MOST_RUNS)]
    assert len(set(looks)) == MOST_RUNS
    assert len({dash for dash, _ in looks[:6]}) == 6
    assert len(LIGHT.runs) == len(DARK.runs) == COLOURS


def test_each_run_that_logs_the_metric_is_a_line_with_its_letter(tmp_path: Path) -> None:
    drawn = overlay(side_of(tmp_path, {"reward": 1.0}, {"entropy": 1.0}, {"reward": 2.0}), "reward")
    assert [(Path(trace.run).name, trace.style, trace.words) for trace in drawn.traces] == [
        ("0", "line", "A"),
        ("2", "line", "C"),
    ]
    assert (drawn.title, drawn.unit, drawn.is_overlay) == ("Reward", "should rise", True)
    assert "A 1 reward at step 10; C 2 reward at step 10" in drawn.words


def test_seeds_are_one_band_with_its_members_thin_and_without_letters_of_their_own(tmp_path: Path) -> None:
    runs = [{"reward": float(seed), "config": {"seed": seed, "beta": 0.1}} for seed in range(3)]
    drawn = overlay(side_of(tmp_path, *runs), "reward")
    assert [(trace.style, trace.words) for trace in drawn.traces] == [*[("thin", "")] * 3, ("band", "ABC")]
    assert [Path(run).name for run in drawn.traces[-1].others] == ["1", "2"]


def test_many_letters_are_told_by_the_first_and_the_last() -> None:
    assert letters_of([0, 1, 3]) == "ABD"
    assert letters_of(range(20)) == "A…T"


def test_a_limit_that_one_of_the_runs_broke_is_drawn(tmp_path: Path) -> None:
    sick, well = {"completions__clipped_ratio": 0.95}, {"completions__clipped_ratio": 0.0}
    name = "truncated_fraction"
    assert [limit.words for limit in overlay(side_of(tmp_path / "a", sick, well), name).limits] == ["limit 0.8"]
    assert overlay(side_of(tmp_path / "b", well, well), name).limits == ()


def test_the_reference_is_grey_behind_the_metrics_that_it_logs_and_bears_its_name(tmp_path: Path) -> None:
    side = side_of(tmp_path, {"reward": 1.0, "grad_norm": 2.0}, {"reward": 1.0, "grad_norm": 2.0})
    ghost = open_run(write(tmp_path / "9", reward=3.0))
    (*_, trace) = overlay(side, "reward", ghost).traces
    assert (trace.style, trace.colour, trace.words) == ("ghost", "muted", "9")
    assert "ghost" not in [trace.style for trace in overlay(side, "grad_norm", ghost).traces]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_letters_can_be_read_in_both_themes(palette: Palette) -> None:
    for place in range(len(LETTERS)):
        assert contrast(hex_of(place, palette), palette.ground) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
