"""A metric's meaning changes with the version: the rules that read it adapt, or say why they skip."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.assemble.assembler import assemble
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.recording import Recording, Source
from diagnostics.model.run import Run
from diagnostics.model.series import RawSeries
from diagnostics.rules import evaluate

POINTS = 30
GRPO = {"completions/mean_length": 60.0, "completions/max_length": 128.0, "reward": 0.4, "reward_std": 0.3}
PPO = {"objective/rlhf_reward": 0.5, "objective/scores": 0.5, "objective/kl": 1.0, "val/ratio": 1.0, "episode": 1.0}


def trl_run(version: str, config: Mapping[str, Any], tags: Mapping[str, float | Sequence[float]]) -> Run:
    """What a TRL of that version logged: these tags, each with thirty points, and its arguments."""
    steps = np.arange(1, POINTS + 1)
    series = {
        f"train/{tag}": RawSeries(f"train/{tag}", steps, np.broadcast_to(value, POINTS).astype(np.float64))
        for tag, value in tags.items()
    }
    text = {"args/text_summary": json.dumps(config)}
    source = Source("tensorboard", Path("log"))
    recording = Recording(Path("log"), (source,), "id", "log", series, text=text, producer_version=version)
    return assemble(recording, observed_at=0.0)


def outcome_of(rule: str, run: Run) -> Outcome:
    return next(outcome for outcome in evaluate(run) if outcome.rule == rule)


@pytest.mark.parametrize(("version", "verdict"), [("0.26.0", Verdict.QUIET), ("0.27.0", Verdict.SKIPPED)])
def test_a_reward_std_of_the_whole_batch_cannot_show_groups_without_spread(version: str, verdict: Verdict) -> None:
    run = trl_run(version, {"scale_rewards": "group"}, GRPO)
    outcome = outcome_of("tiny-std-amplification", run)
    assert outcome.verdict is verdict
    assert "0.27" in run.series["reward_std"].caveat
    if verdict is Verdict.SKIPPED:
        assert outcome.message.template == "tiny-std-amplification.whole"


def test_a_tiny_reward_std_of_the_whole_batch_proves_itself() -> None:
    rising = {"reward": np.linspace(0.0, 1.0, POINTS).tolist(), "reward_std": [0.2] * 10 + [1e-4] * 20}
    run = trl_run("1.0.0", {"scale_rewards": "group"}, {**GRPO, **rising})
    assert outcome_of("tiny-std-amplification", run).severity is Severity.WARNING


def test_an_entropy_below_zero_of_a_ppo_that_counts_padding_raises_no_alarm() -> None:
    tags = {**PPO, "objective/entropy": -22.0, "policy/entropy_avg": 0.9}
    run = trl_run("1.9.0", {"response_length": 53}, tags)
    assert outcome_of("entropy-metric-artefact", run).severity is Severity.INFO
    assert outcome_of("stability-metric-collapsed", run).severity is None
    assert run.series["entropy_per_token"].values[0] == 0.9


def test_averages_that_ppo_divides_by_its_mini_batches_are_judged_as_they_were() -> None:
    tags = {**PPO, "val/ratio": 0.25, "policy/approxkl_avg": 0.02, "policy/clipfrac_avg": 0.15}
    run = trl_run("1.0.0", {"num_mini_batches": 4, "response_length": 53}, tags)
    assert outcome_of("ratio-far-from-one", run).severity is None
    assert (outcome_of("update-too-large", run).measured, outcome_of("clipfrac-high", run).measured) == (0.08, 0.6)
    assert (outcome_of("clipfrac-high", run).severity, outcome_of("clipfrac-high", run).limit) == (
        Severity.WARNING,
        0.5,
    )


def test_the_clip_ratio_of_0_16_counts_something_else_and_is_not_judged() -> None:
    old = {"completion_length": 60.0, "reward": 0.4, "reward_std": 0.3, "clip_ratio": 0.97}
    outcome = outcome_of("grpo-clip-ratio-high", trl_run("0.16.1", {}, old))
    assert outcome.verdict is Verdict.SKIPPED
    assert outcome_of("grpo-clip-ratio-high", trl_run("0.19.0", {}, {**GRPO, "clip_ratio": 0.97})).severity


def test_answers_that_end_on_a_second_end_token_are_not_cut_off() -> None:
    scattered = (90 + 20 * np.random.default_rng(0).random(POINTS)).tolist()
    tags = {**GRPO, "completions/max_length": scattered, "completions/clipped_ratio": 0.99}
    run = trl_run("1.14.0", {"max_completion_length": 256}, tags)
    assert outcome_of("eos-id-mismatch", run).severity is Severity.CRITICAL
    for rule in ("truncation-high", "eos-never-generated"):
        assert outcome_of(rule, run).message.template == "missing.unseen-ends"


def test_answers_that_stop_dead_at_the_limit_are_cut_off() -> None:
    tags = {**GRPO, "completions/max_length": 256.0, "completions/clipped_ratio": 0.99}
    run = trl_run("1.14.0", {"max_completion_length": 256}, tags)
    assert outcome_of("truncation-high", run).severity is Severity.CRITICAL


def test_answers_that_stop_dead_at_a_limit_nobody_stated_are_cut_off() -> None:
    tags = {**GRPO, "completions/max_length": 128.0, "completions/clipped_ratio": 0.99}
    run = trl_run("1.14.0", {"max_completion_length": 256}, tags)
    assert outcome_of("truncation-high", run).severity is Severity.CRITICAL
