"""Tests of merging: points of several logs by step, and what is said where the logs differ."""

from pathlib import Path

import numpy as np

from diagnostics.assemble.merge import merge
from diagnostics.model.recording import Recording, Source
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status


def recording(form: str, points: dict[str, list[tuple[int, float]]], **others: object) -> Recording:
    tags = {
        tag: RawSeries(tag, np.array([step for step, _ in found], dtype=np.int64), np.array([v for _, v in found]))
        for tag, found in points.items()
    }
    path = Path(form)
    return Recording(path=path, sources=(Source(form, path),), run_id=form, name=form, tags=tags, **others)  # type: ignore[arg-type]


def points(found: Recording, tag: str) -> list[tuple[int, float]]:
    return list(zip(found.tags[tag].steps.tolist(), found.tags[tag].values.tolist(), strict=True))


def test_a_log_fills_in_the_steps_that_another_one_lacks() -> None:
    merged = merge(
        [recording("a", {"train/kl": [(1, 1.0), (3, 3.0)]}), recording("b", {"kl": [(2, 2.0), (3, 3.0), (4, 4.0)]})]
    )

    assert points(merged, "train/kl") == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]
    assert merged.notes == ()


def test_a_rewind_of_the_first_log_stays_one() -> None:
    merged = merge(
        [recording("a", {"kl": [(1, 1.0), (2, 2.0), (1, 1.5)]}), recording("b", {"kl": [(1, 1.5), (5, 5.0)]})]
    )

    assert points(merged, "kl") == [(1, 1.0), (2, 2.0), (1, 1.5), (5, 5.0)]
    assert merged.notes == ()


def test_the_rounding_of_float32_is_no_disagreement() -> None:
    merged = merge([recording("a", {"kl": [(1, float(np.float32(0.1)))]}), recording("b", {"kl": [(1, 0.1)]})])

    assert merged.notes == ()


def test_two_logs_that_disagree_are_named_with_the_first_point() -> None:
    merged = merge(
        [recording("a", {"kl": [(1, 1.0), (2, np.nan)]}), recording("b", {"kl": [(1, 1.0), (2, 0.5)], "x": [(1, 0.0)]})]
    )

    assert merged.notes == (
        "a and b disagree at 1 points, first on kl at step 2: nan against 0.5; the former is shown",
    )
    assert np.isnan(merged.tags["kl"].values[1])
    assert points(merged, "x") == [(1, 0.0)]


def test_two_nans_agree() -> None:
    assert merge([recording("a", {"kl": [(1, np.nan)]}), recording("b", {"kl": [(1, np.nan)]})]).notes == ()


def test_the_log_that_knows_how_the_run_ended_says_so() -> None:
    merged = merge(
        [
            recording("a", {}, status=Status("silent", step=5, last_written=10.0)),
            recording("b", {}, status=Status("failed", step=4, last_written=9.0, error="boom")),
        ]
    )

    assert (merged.status.state, merged.status.step, merged.status.last_written) == ("failed", 5, 10.0)
    assert merged.status.error == "boom"


def test_infinity_in_float32_is_the_large_number_of_another_log() -> None:
    merged = merge([recording("a", {"kl": [(1, np.inf)]}), recording("b", {"kl": [(1, 1e39)]})])

    assert merged.notes == ()


def test_a_step_that_one_log_has_more_often_is_not_compared() -> None:
    merged = merge([recording("a", {"time": [(0, 1.0), (0, 2.0)]}), recording("b", {"time": [(0, 1.5)]})])

    assert merged.notes == ()


def test_timings_that_name_no_step_are_not_compared() -> None:
    tag = "profiling/Time taken: compute_loss"
    merged = merge([recording("a", {tag: [(0, 1.0)]}), recording("b", {tag: [(0, 2.0)]})])

    assert merged.notes == ()
