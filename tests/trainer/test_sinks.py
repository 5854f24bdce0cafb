import logging
import math

from trainer.sinks import Sinks


def test_a_sink_that_cannot_be_opened_is_left_out_with_a_warning(tmp_path, caplog):
    (tmp_path / "tensorboard").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        sinks = Sinks(["tensorboard"], tmp_path, {})
    sinks.log(1, {"reward": 1.0})
    sinks.close()
    assert "tensorboard gets no more metrics" in caplog.text


def test_a_sink_takes_nan_and_goes_on(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    sinks = Sinks(["tensorboard"], tmp_path, {"seed": 1})
    sinks.log(1, {"loss/value_avg": math.nan})
    sinks.log(2, {"loss/value_avg": 0.5})
    sinks.close()
    points = EventAccumulator(str(tmp_path / "tensorboard")).Reload().Scalars("train/loss/value_avg")
    assert [point.step for point in points] == [1, 2]
    assert math.isnan(points[0].value)


def test_none_is_no_sink(tmp_path):
    Sinks(["none"], tmp_path, {}).close()
    assert list(tmp_path.iterdir()) == []
