"""A curve's text alternative says what the curve shows."""

import numpy as np

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.series import Series
from diagnostics.wording.series import chart_description, series_title


def series(values: list[float], name: str = "kl_per_token") -> Series:
    return Series(name, name, np.arange(1, len(values) + 1, dtype=np.int64), np.array(values))


def test_the_text_alternative_says_the_last_value_and_what_fired() -> None:
    fired = Outcome("RV302", "kl-too-high", Verdict.FIRED, Message("engine.quiet"), severity=Severity.WARNING,
                    metric="kl_per_token")  # fmt: skip
    expected = "KL to the reference: 0.3 nats/token at step 3; 1 of 3 points are NaN or infinite; kl-too-high fired"
    assert expected == chart_description(series([0.1, np.nan, 0.3]), [fired])


def test_the_text_alternative_says_the_last_evaluation() -> None:
    train, held_out = series([0.1, 0.2, 0.3], "reward"), series([0.5], "eval/reward")
    assert chart_description(train, [], held_out) == "Reward: 0.3 reward at step 3; held out: 0.5 reward at step 1"


def test_a_name_says_the_function_and_the_split() -> None:
    assert series_title(series([0.5], "reward_func_mean/accuracy")) == "Reward function: accuracy"
    assert series_title(series([0.5], "eval/reward")).endswith(", evaluation")
    assert series_title(series([0.5], "my/own_tag")) == "my/own_tag"


def test_a_name_says_the_part_of_the_data() -> None:
    assert series_title(series([0.5], "part/math/wrong/advantages_max")) == "Advantage, most: math/wrong"
    assert series_title(series([0.5], "all/length_mean")) == "Completion length: all rollouts"
