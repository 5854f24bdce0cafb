"""Tests on trainings by TRL: what went wrong in the sick ones is found, and their healthy twins are quiet."""

from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.outcome import Severity

CORPUS = Path(__file__).parents[2] / "fixtures" / "trl_corpus"
SICK = [
    ("brevity-reward", "length-collapse", Severity.WARNING, "answers-too-short"),
    ("constant-reward", "reward-stuck-at-floor", Severity.CRITICAL, "no-reward-signal"),
    ("cut-off-unlogged", "length-at-limit", Severity.CRITICAL, "drastic-updates"),
    ("dead-reward-function", "reward-func-constant", Severity.WARNING, "dead-reward-function"),
    ("frozen-on-one-answer", "policy-frozen", Severity.CRITICAL, "drastic-updates"),
    ("kl-penalty-too-large", "kl-penalty-dominates", Severity.WARNING, "kl-penalty-too-strong"),
    ("learning-rate-tiny", "policy-hardly-moves", Severity.CRITICAL, "not-training"),
    ("learning-rate-too-high", "kl-too-high", Severity.CRITICAL, "drastic-updates"),
    ("length-reward", "truncation-high", Severity.CRITICAL, "length-bias"),
    ("min-new-tokens", "truncation-high", Severity.CRITICAL, "sampling-unlike-policy"),
    ("no-gain-possible", "policy-hardly-moves", Severity.WARNING, "not-training"),
    ("prompts-lost-their-question", "smp-prompts-identical", Severity.WARNING, "no-reward-signal"),
    ("random-reward", "reward-not-improving", Severity.WARNING, "no-reward-signal"),
    ("random-reward-far", "reward-not-improving", Severity.WARNING, "no-reward-signal"),
    ("rare-success", "reward-stuck-at-floor", Severity.WARNING, "no-reward-signal"),
    ("reward-scale", "nonfinite-metric", Severity.CRITICAL, "reward-scale"),
    ("sampling-too-cold", "zero-variance-groups", Severity.WARNING, "mode-collapse"),
    ("sign-flipped-reward", "entropy-explosion", Severity.WARNING, "reward-hacking"),
    ("sign-flipped-endless", "reward-sign-flipped", Severity.WARNING, "wrong-reward-sign"),
    ("sign-flipped-noise", "reward-sign-flipped", Severity.WARNING, "wrong-reward-sign"),
    ("too-easy-data", "zero-variance-groups", Severity.CRITICAL, "no-reward-signal"),
    ("too-hard-data", "eos-never-generated", Severity.CRITICAL, "completion-limit-too-short"),
    ("updates-lost-in-bfloat16", "policy-hardly-moves", Severity.WARNING, "not-training"),
    ("warm-up-never-ends", "policy-hardly-moves", Severity.WARNING, "not-training"),
    ("wrong-stop-token", "truncation-high", Severity.CRITICAL, "wrong-stop-token"),
    ("wrecked-at-once", "policy-frozen", Severity.CRITICAL, "drastic-updates"),
]


@pytest.mark.parametrize(("run", "rule", "severity", "cause"), SICK, ids=[run for run, *_ in SICK])
def test_what_went_wrong_is_found_and_named(run: str, rule: str, severity: Severity, cause: str) -> None:
    found = diagnose(open_run(CORPUS / run))
    assert {outcome.rule: outcome.severity for outcome in found.fired}[rule] is severity
    assert found.causes[0].cause == cause
    assert rule in found.causes[0].outcomes


@pytest.mark.parametrize("run", sorted(folder.name for folder in CORPUS.glob("healthy-*")))
def test_a_healthy_twin_has_nothing_at_warning_or_above(run: str) -> None:
    found = diagnose(open_run(CORPUS / run))
    assert [outcome.rule for outcome in found.fired if outcome.severity is not Severity.INFO] == []


def test_every_training_of_the_corpus_is_tested() -> None:
    sick = {run for run, *_ in SICK}
    assert sick == {folder.name for folder in CORPUS.iterdir() if not folder.name.startswith("healthy-")}


@pytest.mark.parametrize(
    ("run", "rule", "since"), [("frozen-on-one-answer", "policy-frozen", 3), ("brevity-reward", "length-collapse", 17)]
)
def test_the_strongest_sign_comes_first_and_since_is_an_onset(run: str, rule: str, since: int) -> None:
    finding = diagnose(open_run(CORPUS / run)).findings[0]
    assert (finding.leading.rule, finding.first_step) == (rule, since)


def test_answers_that_shrink_are_dated_at_the_first_that_is_below_the_limit_for_good() -> None:
    run = open_run(CORPUS / "brevity-reward")
    finding, lengths = diagnose(run).findings[0], run.series["length_mean"]
    is_short = lengths.values < finding.leading.limit
    assert is_short[lengths.steps >= finding.first_step].all()
    assert not is_short[lengths.steps < finding.first_step].any()
