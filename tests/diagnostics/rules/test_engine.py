"""Tests of the engine: four verdicts, overridden limits, and rules that cannot run."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.api import diagnose
from diagnostics.configs.setups import make_setup
from diagnostics.model.diagnosis import UnknownLimitError
from diagnostics.model.messages import render
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.model.vocabulary import METRICS
from diagnostics.rules import CONFIG_RULES, RUN_RULES, engine, evaluate
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of
from diagnostics.texts import templates

MakeRun = Callable[..., Run]


class Limits(RuleLimits):
    """The limits of the rules below."""

    highest: float = limit(1.0, "reward", "a test")


class Folklore(RunRule[Limits]):
    """A rule without a good source that fires at high severity."""

    code = "RV999"
    name = "folklore"
    grade = "F"
    source = "a test"
    inputs = ("score",)
    limits = Limits()
    texts = english(headline="The score is high.", fired="The score is {measured}.")

    def check(self, run: Run, limits: Limits) -> RuleResult:
        level = Level(Severity.CRITICAL, limits.highest, 1)
        return self.judged(read_levels(series_of(run, "score"), (level,), smooth=False))


class Broken(Folklore):
    """A rule that fails."""

    name = "broken"

    def check(self, run: Run, limits: Limits) -> RuleResult:
        raise ZeroDivisionError("one over nothing")


def test_a_fired_rule_says_where_how_much_and_against_what(make_run: MakeRun) -> None:
    (outcome,) = engine.evaluate(make_run("ppo", score="0.5x3 2x2"), [Folklore()])
    assert (outcome.verdict, outcome.first_step, outcome.last_step) == (Verdict.FIRED, 4, 5)
    assert (outcome.measured, outcome.limit, outcome.unit) == (2.0, 1.0, "reward")
    assert (outcome.metric, outcome.tag, outcome.still) == ("score", "tag/score", True)
    assert outcome.evidence.steps.tolist() == [1, 2, 3, 4, 5]
    assert outcome.evidence.values.tolist() == [0.5, 0.5, 0.5, 2.0, 2.0]


def test_a_quiet_rule_says_what_it_measured_and_its_limit(make_run: MakeRun) -> None:
    (outcome,) = engine.evaluate(make_run("ppo", score="0.5x3"), [Folklore()])
    assert (outcome.verdict, outcome.measured, outcome.limit) == (Verdict.QUIET, 0.5, 1.0)


def test_folklore_alone_is_never_critical(make_run: MakeRun) -> None:
    (outcome,) = engine.evaluate(make_run("ppo", score="2x3"), [Folklore()])
    assert outcome.severity is Severity.WARNING


def test_a_broken_rule_does_not_hide_the_others(make_run: MakeRun) -> None:
    broken, other = engine.evaluate(make_run("ppo", score="2x3"), [Broken(), Folklore()])
    assert (broken.verdict, other.verdict) == (Verdict.BROKEN, Verdict.FIRED)
    assert render(broken.message, templates()) == "The check itself failed with ZeroDivisionError: one over nothing"


def test_a_broken_rule_names_what_to_send_along(make_run: MakeRun) -> None:
    (broken,) = engine.evaluate(make_run("ppo", score="2x3"), [Broken()])
    assert broken.enable is not None
    assert render(broken.enable, templates()) == "Report it with the run's log; the other checks are not affected."


def test_a_subject_is_judged_by_the_rules_for_it(make_run: MakeRun) -> None:
    settings = {outcome.rule for outcome in evaluate(make_setup("grpo", "rlvitals", {}))}
    run = {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x20"))}
    assert settings
    assert settings <= {rule.name for rule in CONFIG_RULES}
    assert run.isdisjoint(rule.name for rule in CONFIG_RULES)


def test_a_missing_input_says_what_to_log(make_run: MakeRun) -> None:
    (outcome,) = engine.evaluate(make_run("ppo", reward="2x3"), [Folklore()])
    assert outcome.verdict is Verdict.SKIPPED
    assert outcome.enable is not None
    assert render(outcome.message, templates()) == "The log has no metric “Score”."
    assert render(outcome.enable, templates()) == "Log the mean score."


def test_a_run_of_an_unknown_algorithm_is_judged_by_what_it_logs(make_run: MakeRun) -> None:
    run = make_run("unknown", kl_per_token="0.01x20", reward="1x20")
    names = {outcome.rule for outcome in evaluate(run)}
    assert names >= {"nonfinite-metric", "kl-negative", "kl-too-high", "reward-not-improving", "reward-regression"}
    assert names <= {rule.name for rule in RUN_RULES if not rule.missing(run)}


@pytest.mark.parametrize(("algorithm", "absent"), [("grpo", "value-loss-spike"), ("ppo", "truncation-high")])
def test_a_rule_of_another_algorithm_is_not_even_skipped(make_run: MakeRun, algorithm: str, absent: str) -> None:
    assert absent not in {outcome.rule for outcome in evaluate(make_run(algorithm))}


def test_a_run_without_anything_skips_every_rule(make_run: MakeRun) -> None:
    outcomes = evaluate(make_run("ppo"))
    assert {outcome.verdict for outcome in outcomes} == {Verdict.SKIPPED}
    assert all(render(outcome.message, templates()) for outcome in outcomes)


def test_an_overridden_limit_is_used_and_marked(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="12x9")
    by_default = next(outcome for outcome in evaluate(run) if outcome.rule == "kl-too-high")
    outcomes = evaluate(run, {"kl-too-high": {"warning_per_sequence": 15}})
    overridden = next(outcome for outcome in outcomes if outcome.rule == "kl-too-high")
    assert (by_default.verdict, by_default.limit_is_default) == (Verdict.FIRED, True)
    assert (overridden.verdict, overridden.limit, overridden.limit_is_default) == (Verdict.QUIET, 15.0, False)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"kl-negativ": {}}, r"there is no rule called kl-negativ \(did you mean kl-negative\?\)"),
        ({"kl-negative": {"warnin": -2}}, r"kl-negative has no limit called warnin \(did you mean warning\?\)"),
        ({"kl-negative": {"warning": "low"}}, "kl-negative.warning must be a number, but is 'low'"),
        ({"kl-negative": {"patience": 2.5}}, "kl-negative.patience must be a positive whole number, but is 2.5"),
        ({"kl-negative": {"patience": 0}}, "kl-negative.patience must be a positive whole number, but is 0"),
        ({"kl-negative": {"warning": float("nan")}}, "kl-negative.warning must be a number, but is nan"),
    ],
)
def test_limits_that_do_not_fit_are_refused_in_one_sentence(
    make_run: MakeRun, limits: dict[str, dict[str, float]], sentence: str
) -> None:
    with pytest.raises(UnknownLimitError, match=sentence):
        evaluate(make_run("ppo"), limits)


def test_every_message_of_a_sick_run_renders(make_run: MakeRun) -> None:
    sick_ppo = make_run(
        "ppo",
        config={"learning_rate": 1e-2, "per_device_train_batch_size": 64, "gradient_accumulation_steps": 1},
        kl_per_sequence="0.1x5 -9x60",
        ratio_mean="1x5 12x60",
        approx_kl="0.2x65",
        clip_fraction="0.6x65",
        value_loss="1x25 9x20 nanx20",
        entropy_per_token="2x35 0x30",
        rlhf_reward="0..1x40 1..0x25",
        eos_tokens="0x65",
        kl_coef="0.1..0.4x65",
    )
    sick_grpo = make_run(
        "grpo",
        config={"max_completion_length": 8},
        clip_ratio_region_mean="0.5x60",
        kl_per_token="2x60",
        reward="0.5x60",
        truncated_fraction="0.99x60",
        functions={"reward_func_mean/a": "0x60", "reward_func_std/a": "0x60"},
        total=60,
    )
    fired = [item for run in (sick_ppo, sick_grpo) for item in diagnose(run).outcomes if item.verdict is Verdict.FIRED]
    assert len({item.rule for item in fired}) > 15
    for item in fired:
        assert item.headline is not None
        sentences = [item.message, item.headline, *(fix.why for fix in item.fixes)]
        assert [text for text in (render(sentence, templates()) for sentence in sentences) if "{" in text] == []


@pytest.mark.parametrize("algorithm", ["ppo", "ppo-legacy", "grpo", "rloo", "unknown"])
@pytest.mark.filterwarnings("error")
def test_no_rule_breaks_on_whatever_a_log_holds(make_run: MakeRun, algorithm: str) -> None:
    generator = np.random.default_rng(7)
    plain = [entry.name for entry in METRICS if not entry.name.startswith("reward_func")]
    for _ in range(40):
        points = int(generator.integers(1, 130))
        run = make_run(
            algorithm,
            config={"batch_size": 256, "horizon": 10000, "max_steps": points},
            functions={f"reward_func_{key}": junk(generator, points) for key in ("mean/a", "std/a", "mean/b", "std/b")},
            **{name: junk(generator, points) for name in plain},
        )
        broken = [outcome.message.values for outcome in evaluate(run) if outcome.verdict is Verdict.BROKEN]
        assert broken == []


def junk(generator: np.random.Generator, points: int) -> Values:
    """Values of any size and sign, constant stretches, and here and there what is not a number."""
    values = generator.normal(size=points) * 10.0 ** generator.integers(-9, 9)
    values[: generator.integers(0, points + 1)] = generator.choice([0.0, 1.0, values[0]])
    for value in (np.nan, np.inf, -np.inf):
        values[generator.random(points) < generator.choice([0.0, 0.05, 1.0], p=[0.6, 0.3, 0.1])] = value
    return values
