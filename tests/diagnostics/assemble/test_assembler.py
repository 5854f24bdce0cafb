"""Tests of composition: duplicates, rewinds, gaps and non-finite points are merged and counted, never lost."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from diagnostics.assemble.assembler import assemble
from diagnostics.model.histograms import Histogram
from diagnostics.model.recording import Recording, Source
from diagnostics.model.run import Run
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status
from diagnostics.readers.histogram_columns import HistogramColumns


def series(tag: str, steps: Sequence[int], values: Sequence[float] | None = None) -> RawSeries:
    return RawSeries(
        tag, np.array(steps), np.array(steps if values is None else values, dtype=float), np.arange(len(steps))
    )


def run(*raw: RawSeries, **fields: object) -> Run:
    path = Path("log")
    tags = {item.tag: item for item in raw}
    source = Source("rlvitals", path)
    return assemble(Recording(path, source, "id", "log", tags, producer="rlvitals", **fields), 123.0)  # type: ignore[arg-type]


def test_of_several_points_at_one_step_the_last_one_counts_and_the_others_are_kept() -> None:
    found = run(series("loss", [1, 2, 3, 2, 3, 4], [1, 2, 3, 20, 30, 40])).series["loss"]

    assert found.steps.tolist() == [1, 2, 3, 4]
    assert found.values.tolist() == [1, 20, 30, 40]
    assert found.times.tolist() == [0, 3, 4, 5]
    assert (found.replaced_steps.tolist(), found.replaced_values.tolist()) == ([2, 3], [2, 3])


def test_several_points_of_one_step_are_no_duplicates_where_each_call_logs_one() -> None:
    timed = series("profiling/Time taken: GRPOTrainer.compute_loss", [1, 1, 2, 2, 2, 3])
    again = series("profiling/Time taken: GRPOTrainer.compute_loss", [1, 1, 2, 2, 1, 1, 2, 3])

    assert run(timed, series("loss", [1, 2, 2])).data_health.duplicates == 1
    assert run(again).data_health.duplicates == 2


def test_a_rewind_counts_once_for_the_run() -> None:
    health = run(series("loss", [1, 2, 3, 2, 3]), series("reward", [1, 2, 3, 2, 3]), series("lr", [1, 2])).data_health

    assert (health.rewinds, health.duplicates, health.points) == (1, 4, 12)


def test_one_step_made_again_is_a_rewind_where_the_run_was_resumed_and_else_a_duplicate() -> None:
    again = series("loss", [1, 2, 3, 3, 4])

    assert run(again, resumed_after=(2,)).data_health.rewinds == 1
    assert run(again, resumed_after=(1,)).data_health.rewinds == 0
    assert run(again).data_health.rewinds == 0


def test_non_finite_points_are_counted_and_kept() -> None:
    found = run(series("loss", [1, 2, 3, 4], [math.nan, math.inf, -math.inf, 1.0]))

    assert (found.data_health.nan, found.data_health.inf) == (1, 2)
    assert np.array_equal([math.nan, math.inf, -math.inf, 1.0], found.series["loss"].values, equal_nan=True)


def test_a_gap_counts_the_steps_that_are_missing() -> None:
    assert run(series("loss", [10, 20, 30, 60, 70])).data_health.gaps == 2


def test_the_first_steps_distance_is_no_gap() -> None:
    assert run(series("loss", [1, 10, 20, 30])).data_health.gaps == 0


def test_a_metric_of_every_other_step_makes_no_gap() -> None:
    assert run(series("loss", [1, 2, 3, 4, 5]), series("reward", [1, 3, 5])).data_health.gaps == 0


def test_a_run_without_points_has_nothing_to_count() -> None:
    found = run()

    assert found.series == {}
    assert (found.data_health.points, found.data_health.gaps, found.data_health.unmapped_tags) == (0, 0, ())


def test_names_that_nobody_knows_are_kept() -> None:
    found = run(series("my/own", [1, 2]), series("reward/of_mine", [1]))

    assert {"my/own", "reward/of_mine"} == set(found.series)
    assert found.data_health.unmapped_tags == ("my/own", "reward/of_mine")


def test_a_run_that_says_how_it_ended_is_believed_whatever_its_steps() -> None:
    status = Status(state="failed", step=9, total=9)

    assert run(series("loss", [9]), status=status).status.state == "failed"


def test_the_moment_of_reading_is_on_the_run() -> None:
    assert run().observed_at == 123.0


def test_histograms_are_named_as_metrics_are_and_a_scalar_metric_is_none_of_them() -> None:
    columns = HistogramColumns()
    for tag, steps in (("train/objective/kl_dist", (2, 1, 2)), ("objective/scores", (1,)), ("my/own", (1,))):
        for step in steps:
            columns.add(tag, step, Histogram.of([0.0, 1.0], [1.0]))

    found = run(histograms=columns.by_tag()).histograms

    assert list(found) == ["kl_distribution", "objective/scores", "my/own"]
    kl = found["kl_distribution"]
    assert (kl.name, kl.tag, kl.steps.tolist()) == ("kl_distribution", "objective/kl_dist", [1, 2])
