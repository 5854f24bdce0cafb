import logging
import math

from trainer.run.sinks import Origin, Sinks


def test_a_sink_that_cannot_be_opened_is_left_out_with_a_warning(tmp_path, caplog):
    (tmp_path / "tensorboard").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        sinks = Sinks(["tensorboard"], Origin(tmp_path, {}))
    sinks.log(1, {"reward": 1.0})
    sinks.close()
    assert "tensorboard gets no more metrics" in caplog.text


def test_a_sink_takes_nan_and_goes_on(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    sinks = Sinks(["tensorboard"], Origin(tmp_path, {"seed": 1}))
    sinks.log(1, {"loss/value_avg": math.nan})
    sinks.log(2, {"loss/value_avg": 0.5})
    sinks.close()
    points = EventAccumulator(str(tmp_path / "tensorboard")).Reload().Scalars("train/loss/value_avg")
    assert [point.step for point in points] == [1, 2]
    assert math.isnan(points[0].value)


def test_none_is_no_sink(tmp_path):
    Sinks(["none"], Origin(tmp_path, {})).close()
    assert list(tmp_path.iterdir()) == []


def test_evaluations_keep_their_own_prefix_and_histograms_their_bins(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    sinks = Sinks(["tensorboard"], Origin(tmp_path, {}))
    bins = {"edges": [0.0, 1.0, 3.0], "counts": [2, 1]}
    sinks.log(1, {"reward": 1.0, "eval/reward": 0.5}, {"env/reward_dist": bins, "nothing": {"edges": [], "counts": []}})
    sinks.close()
    found = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert sorted(found.Tags()["scalars"]) == ["eval/reward", "train/reward"]
    assert found.Tags()["histograms"] == ["train/env/reward_dist"]
    (point,) = found.Histograms("train/env/reward_dist")
    written = point.histogram_value
    assert (written.min, written.max, written.num, written.sum) == (0.0, 3.0, 3.0, 3.0)
    assert (list(written.bucket_limit), list(written.bucket)) == ([1.0, 3.0], [2.0, 1.0])


def test_a_resumed_run_voids_what_tensorboard_holds_beyond_its_checkpoint(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    first = Sinks(["tensorboard"], Origin(tmp_path, {}))
    for step in (1, 2, 3, 4):
        first.log(step, {"reward": 0.1 * step})
    first.close()
    again = Sinks(["tensorboard"], Origin(tmp_path, {}, last_step=2))
    again.log(3, {"reward": 0.9})
    again.close()
    points = EventAccumulator(str(tmp_path / "tensorboard")).Reload().Scalars("train/reward")
    assert [(point.step, round(point.value, 1)) for point in points] == [(1, 0.1), (2, 0.2), (3, 0.9)]


def test_rows_are_written_beside_the_training_and_in_order(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    sinks = Sinks(["tensorboard"], Origin(tmp_path, {}))
    metrics = {"reward": 0.0}
    for step in range(50):
        metrics["reward"] = float(step)  # a row is what it was when it was logged, whatever happens to the mapping
        sinks.log(step, metrics)
    sinks.close()
    points = EventAccumulator(str(tmp_path / "tensorboard")).Reload().Scalars("train/reward")
    assert [(point.step, point.value) for point in points] == [(step, float(step)) for step in range(50)]
