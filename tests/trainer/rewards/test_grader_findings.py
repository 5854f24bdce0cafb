"""What the smoke test finds about real reward functions: naive ones are caught, robust ones stay quiet."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.configs.setups import make_setup
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.setup import Trial
from diagnostics.rules import evaluate
from diagnostics.wording.messages import message_text
from trainer.rewards import RewardError
from trainer.rewards.smoke_test import read_trial_request, smoke_test

GRADERS = r"""
import itertools, json, math, random, re, time

def _number(text):
    try:
        return float(text)
    except ValueError:
        return math.inf

def contains(completions, answer, **columns):
    return [float(a in c) for c, a in zip(completions, answer)]

def contained(completions, answer, **columns):
    boxes = [re.search(r"\\boxed\{(.*)\}", c) for c in completions]
    return [float(box is not None and box[1] in a) for box, a in zip(boxes, answer)]

def first_number(completions, answer, **columns):
    found = [re.search(r"\d+", c) for c in completions]
    return [float(number is not None and number[0] == a) for number, a in zip(found, answer)]

def near(completions, answer, **columns):
    return [float(not abs(_number(c) - float(a)) > 0.01) for c, a in zip(completions, answer)]

def evaluates(completions, answer, **columns):
    def equals(text, number):
        try:
            return eval(text) == int(number)
        except Exception:
            return False
    return [float(equals(c, a)) for c, a in zip(completions, answer)]

def returns_nan(completions, answer, **columns):
    return [math.nan if "nan" in c else float(c == a) for c, a in zip(completions, answer)]

def by_chance(completions, **columns):
    return [random.random() for _ in completions]

def first_wins(completions, answer, **columns):
    return [float(c == a) + float(place == 0) for place, (c, a) in enumerate(zip(completions, answer))]

def relative(completions, **columns):
    mean = sum(map(len, completions)) / len(completions)
    return [len(c) - mean for c in completions]

def counts_calls(completions, _calls=itertools.count(), **columns):
    return [float(next(_calls)) for _ in completions]

def slow_on_long(completions, answer, **columns):
    for c in completions:
        time.sleep(0.4 if len(c) > 5000 else 0)
    return [float(c == a) for c, a in zip(completions, answer)]

def parses_json(completions, **columns):
    return [float("score" in json.loads("".join(["{", c, "}"]))) if "{" in c else 0.0 for c in completions]

def raises_always(completions, **columns):
    raise KeyError("gold")

def robust(completions, answer, **columns):
    form = re.compile(r"[^<>]*<answer>\s*([0-9]{1,9})\s*</answer>\s*", re.ASCII)
    found = [form.fullmatch(c[-500:]) for c in completions]
    return [float(match is not None and match[1] == a) for match, a in zip(found, answer)]
"""


@pytest.fixture
def graders(tmp_path: Path) -> Path:
    path = tmp_path / "graders.py"
    path.write_text(GRADERS)
    return path


def findings(*names: str, limits: dict[str, dict[str, float]] | None = None) -> dict[str, Outcome]:
    """The outcomes of the checks of graders for the addition task with these reward functions."""
    config = {"task": "addition", "reward_funcs": list(names)}
    read, _ = read_trial_request(io.StringIO(json.dumps({"algorithm": "grpo", "config": config})))
    trials = tuple(Trial(**trial) for event in smoke_test(read) for trial in event.get("trials", ()))
    setup = replace(make_setup("grpo", "rlvitals", config), trials=trials)
    return {outcome.rule: outcome for outcome in evaluate(setup, limits or {}) if outcome.rule.startswith("pf-grader")}


def fired(found: dict[str, Outcome]) -> dict[str, str]:
    return {name: str(outcome.severity) for name, outcome in found.items() if outcome.verdict is Verdict.FIRED}


@pytest.mark.parametrize(
    ("name", "policies"),
    [
        ("contains", ["every-option"]),
        ("contained", ["format-only “\\boxed{}”"]),
        ("near", ["nan-numbers “nan”"]),
        ("evaluates", ["prompt-echo", "code-injection"]),
    ],
)
def test_a_naive_grader_is_beaten_and_the_answer_named(graders: Path, name: str, policies: list[str]) -> None:
    found = findings(f"{graders}:{name}")
    assert fired(found) == {"pf-grader-paid": "warning"}
    message = message_text(found["pf-grader-paid"].message)
    assert f"{name} gives 1 for " in message
    assert [policy for policy in policies if policy not in message] == []


def test_what_only_beats_a_grader_by_knowing_the_answer_is_a_note(graders: Path) -> None:
    found = findings(f"{graders}:first_number")
    assert fired(found) == {"pf-grader-paid": "info"}
    assert "gold-in-junk" in message_text(found["pf-grader-paid"].message)


def test_a_robust_grader_stays_quiet(graders: Path) -> None:
    assert fired(findings(f"{graders}:robust")) == {}


@pytest.mark.parametrize("name", ["addition_accuracy", "exact_match"])
def test_built_in_graders_survive_their_attacks(name: str) -> None:
    assert fired(findings(name)) == {}


def test_the_built_in_comparison_of_last_numbers_is_lenient_and_nothing_worse() -> None:
    found = findings("numeric_match")
    assert fired(found) == {"pf-grader-paid": "info"}
    assert "numeric_match gives 1 for gold-in-junk" in message_text(found["pf-grader-paid"].message)


@pytest.mark.parametrize("name", ["length", "addition_format", "constant", "keyword:the"])
def test_what_has_no_right_answer_is_not_judged_by_it(name: str) -> None:
    found = findings(name)
    assert found["pf-grader-paid"].verdict is Verdict.SKIPPED
    assert name.partition(":")[0] in message_text(found["pf-grader-paid"].message)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("by_chance", {"pf-grader-random": "warning"}),
        ("counts_calls", {"pf-grader-random": "warning"}),
        ("first_wins", {"pf-grader-order": "warning"}),
        ("relative", {"pf-grader-order": "info"}),
        ("parses_json", {"pf-grader-raises": "critical"}),
        ("random", {"pf-grader-random": "warning"}),
    ],
)
def test_how_a_grader_misbehaves_is_named(graders: Path, name: str, expected: dict[str, str]) -> None:
    assert fired(findings(name if name == "random" else f"{graders}:{name}")) == expected


def test_a_nan_of_one_answer_does_not_hide_the_others(graders: Path) -> None:
    found = findings(f"{graders}:returns_nan")
    assert found["pf-grader-paid"].verdict is Verdict.QUIET
    assert fired(found) == {}


def test_the_slowest_answer_is_named(graders: Path) -> None:
    found = findings(f"{graders}:slow_on_long", limits={"pf-grader-slow": {"answer": 0.35}})
    assert fired(found) == {"pf-grader-slow": "warning"}
    assert "for very-long “word word" in message_text(found["pf-grader-slow"].message)


def test_a_function_that_raises_whatever_the_answer_ends_the_trial_with_its_message(graders: Path) -> None:
    with pytest.raises(RewardError, match="raised KeyError: 'gold'"):
        findings(f"{graders}:raises_always")
