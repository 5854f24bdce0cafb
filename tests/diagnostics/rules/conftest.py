"""Runs for rule tests, written in series shorthand."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from diagnostics.causes import with_fixes
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG, engine
from diagnostics.texts import templates

Judge = Callable[..., Outcome]
FALLING: Mapping[str, str] = {"eval/score": "1..0x200"}
"""An evaluation that falls in every step: whatever began at one, the run has been worse off since."""


@pytest.fixture
def judge(make_run: Callable[..., Run]) -> Judge:
    """judge("kl-negative", "ppo", kl_per_sequence="0.1x5 -1.5x7"): that rule's outcome on that run.

    The rule's messages must render: one that names an unknown template or value fails the test.
    """

    def judge_one(rule: str, algorithm: str, *, limits: dict[str, Any] | None = None, **run: Any) -> Outcome:
        only = [item for item in CATALOG if item.name == rule]
        judged_run = make_run(algorithm, **run)
        found = engine.evaluate(judged_run, only, {rule: limits} if limits else None)
        (outcome,) = with_fixes(judged_run, found)
        for message in (outcome.message, outcome.headline, outcome.enable, *(fix.why for fix in outcome.fixes)):
            assert message is None or "{" not in render(message, templates())
        return outcome

    return judge_one


@pytest.fixture
def judge_harmed(judge: Judge) -> Judge:
    """As `judge`, on a run whose evaluation falls from its first step to its last."""
    return partial(judge, functions=FALLING)
