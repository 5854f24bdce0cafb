"""Tests that whatever a run logs, no rule fails on it, and everything that is said of it has a sentence."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.causes import ranked_causes
from diagnostics.language import LANGUAGES, language
from diagnostics.model.cause import Cause
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.series import Values
from diagnostics.model.vocabulary import METRICS, PER_FUNCTION
from diagnostics.rules import evaluate
from diagnostics.wording.messages import message_text

ALGORITHMS = ("ppo", "ppo-legacy", "grpo", "rloo", "unknown")
FUNCTIONS = ("accuracy", "format", "length_penalty")
NAMES = (
    *(metric.name for metric in METRICS if metric.name not in PER_FUNCTION),
    *(f"{metric}/{function}" for metric in sorted(PER_FUNCTION) for function in FUNCTIONS),
)
STATES = ("running", "finished", "silent", "failed", "unknown")
RUNS = 30  # of each algorithm


def some_series(rng: random.Random, points: int) -> Values:
    """A level with noise that rises, falls or jumps, may be rounded to nothing, and breaks in places."""
    noise = np.random.default_rng(rng.getrandbits(32))
    level = rng.choice((0.0, 1e-9, 0.01, 0.3, 1.0, 12.0, 4e3, -0.2, -30.0))
    values = level + abs(level or 1.0) * rng.choice((0.0, 0.01, 0.3, 3.0)) * noise.normal(size=points)
    changes_to = level * rng.choice((1.0, 1.0, 0.0, -1.0, 0.2, 4.0, 100.0))
    begin, end = sorted(rng.randrange(points + 1) for _ in range(2))
    values += np.interp(np.arange(points), [begin, max(begin + 1e-6, end)], [0.0, changes_to - level])
    for odd in (np.nan, np.inf, 0.0):
        if rng.random() < 0.1:
            values[rng.randrange(points) :][: rng.randrange(1, 30)] = odd
    return values


def some_text(rng: random.Random) -> str:
    words = rng.choices(
        ("the", "cat", "yes", "7", "!!!", "答案", "<|im_end|>", "<pad>", "\x00", "🙂"), k=rng.choice((0, 1, 3, 40))
    )
    return rng.choice((" ", "", "\n")).join(words)


def some_samples(rng: random.Random, points: int) -> Samples:
    prompts = [some_text(rng) for _ in range(rng.choice((1, 3, 12)))]
    scores = rng.choice(((0.0, 1.0), (None,), (0.5,), (math.nan, math.inf, -1e30, 0.2), (0.1, 0.2, 0.9)))
    tables = {
        step: tuple(
            Sample(step, rng.choice(prompts), some_text(rng), rng.choice(scores))
            for _ in range(rng.choice((1, 16, 48)))
        )
        for step in sorted(rng.sample(range(1, points + 1), min(points, rng.choice((0, 1, 8)))))
    }
    return Samples(tuple(tables), tables.__getitem__)


def some_run(make_run: Callable[..., Run], algorithm: str, seed: int) -> Run:
    rng = random.Random(f"{algorithm} {seed}")
    points = rng.choice((1, 4, 9, 15, 24, 49, 60, 120))
    names = [name for name in NAMES if rng.random() < rng.choice((0.1, 0.5, 0.9))]
    metrics = {name: some_series(rng, points) for name in names}
    config = {"beta": rng.choice((0.0, 0.04, 10.0)), "kl_coef": 0.05, "logging_steps": rng.choice((1, 10))}
    run = make_run(algorithm, config=config if rng.random() < 0.5 else {}, functions=metrics)
    status = replace(run.status, state=rng.choice(STATES), step=points, total=2 * points)
    return replace(run, status=status, samples=some_samples(rng, points))


def messages_of(outcomes: tuple[Outcome, ...], causes: tuple[Cause, ...]) -> Iterator[Message]:
    for outcome in outcomes:
        yield from filter(None, (outcome.message, outcome.headline, outcome.enable))
    for cause in causes:
        yield cause.summary
        yield from (fix.why for fix in cause.fixes)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_rule_fails_and_everything_has_a_sentence(make_run: Callable[..., Run], algorithm: str) -> None:
    for seed in range(RUNS):
        run = some_run(make_run, algorithm, seed)
        outcomes = evaluate(run)
        assert [item.rule for item in outcomes if item.message.template == "engine.broken"] == []
        for code in LANGUAGES:
            with language(code):
                for message in messages_of(outcomes, ranked_causes(run, outcomes)):
                    assert message_text(message)
