"""Shared by the pre-flight tests: one check's outcome for settings written down in the test."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.configs.setups import make_setup
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.setup import ModelFacts, Probe, Trial, version_of
from diagnostics.model.tokenization import Tokenization
from diagnostics.producers.nested_config import flattened
from diagnostics.rules import TEXTS, evaluate

Judged = Callable[..., "Judgement | None"]


class Judgement:
    """One outcome, in the form that tests compare."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.sentence = render(outcome.message, TEXTS)
        self.enable = render(outcome.enable, TEXTS) if outcome.enable else ""

    @property
    def word(self) -> str:
        """The severity if it fired, else the verdict."""
        return str(self.outcome.severity or self.outcome.verdict)

    @property
    def fix(self) -> tuple[str, Any]:
        (fix,) = self.outcome.fixes
        assert render(fix.why, TEXTS)
        return fix.parameter, fix.suggested


@pytest.fixture
def judged() -> Judged:
    """The judgement of one check; None if it does not apply."""

    def judge(
        name: str,
        config: dict[str, Any],
        algorithm: str = "grpo",
        producer: str = "rlvitals",
        version: str = "",
        model: ModelFacts | None = None,
        trials: tuple[Trial, ...] | None = None,
        device_gib: float | None = None,
        probe: Probe | None = None,
        cut_off: float | None = None,
        tokenization: Tokenization | None = None,
    ) -> Judgement | None:
        setup = make_setup(algorithm, producer, flattened(config), version_of(version), model)
        setup = replace(setup, trials=trials, device_gib=device_gib, probe=probe, cut_off=cut_off)
        setup = replace(setup, tokenization=tokenization)
        found = [outcome for outcome in evaluate(setup) if outcome.rule == name]
        assert all(outcome.verdict is not Verdict.BROKEN for outcome in found), found
        return Judgement(found[0]) if found else None

    return judge
