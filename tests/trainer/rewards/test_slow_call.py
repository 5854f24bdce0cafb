"""Tests of the announcement that a reward function does not come back."""

import time

import pytest

from diagnostics.last_words import signs_in
from trainer.rewards import slow_call
from trainer.rewards.function import RewardFunc
from trainer.rewards.slow_call import announced_if_slow


@pytest.fixture
def patience(monkeypatch) -> float:
    monkeypatch.setattr(slow_call, "PATIENCE_SECONDS", 0.2)
    return 0.2


def sleeps(prompts, completions, **columns):
    time.sleep(1.1)
    return [0.0] * len(prompts)


def test_a_call_that_does_not_come_back_is_said_with_the_place_ever_more_rarely(patience, capsys):
    assert RewardFunc("sleeps", sleeps)(["a"], ["b"]) == [0.0]
    lines = capsys.readouterr().err.splitlines()
    said = [line for line in lines if line.startswith("rlvitals")]
    assert said == [
        f"rlvitals: the reward function sleeps has not come back for {seconds} s; it stands in" for seconds in (0, 0, 1)
    ]
    assert lines.count("    time.sleep(1.1)") == len(said)


def test_a_call_that_comes_back_in_time_says_nothing(patience, capsys):
    with announced_if_slow("quick"):
        pass
    time.sleep(2 * patience)
    assert capsys.readouterr().err == ""


def test_what_is_said_is_a_sign_of_a_grader(capsys, patience):
    RewardFunc("sleeps", sleeps)(["a"], ["b"])
    (sign,) = [sign for sign in signs_in(capsys.readouterr().err) if sign.signature.name == "slow-reward-function"]
    assert (sign.kind.name, sign.values["function"]) == ("grader", "sleeps")
