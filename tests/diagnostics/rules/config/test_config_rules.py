"""Pre-flight as a whole: its catalogue, its limits, its words."""

import dataclasses
import re
import string

import pytest

from diagnostics.configs.setups import make_setup
from diagnostics.model.diagnosis import UnknownLimitError
from diagnostics.model.messages import render
from diagnostics.model.outcome import Verdict
from diagnostics.model.setup import ModelFacts
from diagnostics.producers.canonical_settings import CHECKED
from diagnostics.producers.producer import SAMPLING
from diagnostics.producers.rlvitals import DEFAULTS, DEMO_REWARDS
from diagnostics.producers.setting_lookup import arguments_for
from diagnostics.rules import CONFIG_RULES, TEXTS, evaluate
from diagnostics.texts import templates
from trainer.config.algorithms import ALGORITHMS
from trainer.config.options import options_of
from trainer.config.recipes import RECIPES
from trainer.tasks import TASKS


def test_every_check_reads_settings_that_are_known_by_name() -> None:
    assert len(CONFIG_RULES) == 44
    assert {name for check in CONFIG_RULES for name in check.inputs} <= CHECKED.keys()


def test_every_message_can_be_rendered_by_all_who_show_one() -> None:
    assert TEXTS.items() <= templates("en").items()
    for text in TEXTS.values():
        assert all(name is None or name.isidentifier() for _, name, _, _ in string.Formatter().parse(text))


@pytest.mark.parametrize("algorithm", ["ppo", "ppo-legacy", "grpo", "rloo", "online-dpo", "unknown"])
@pytest.mark.parametrize("producer", ["rlvitals", "trl", "verl", "openrlhf", "unknown"])
def test_no_check_breaks_or_stays_silent_about_an_empty_configuration(algorithm, producer) -> None:
    for outcome in evaluate(make_setup(algorithm, producer, {})):
        assert outcome.verdict is not Verdict.BROKEN
        assert render(outcome.message, TEXTS)


def test_odd_values_break_no_check() -> None:
    odd = {
        alias: value
        for aliases in arguments_for("trl").values()
        for alias, value in zip(aliases, [[], {}, "x"], strict=False)
    }
    for algorithm in ("ppo", "grpo"):
        assert all(o.verdict is not Verdict.BROKEN for o in evaluate(make_setup(algorithm, "trl", odd)))


def test_a_limit_can_be_overridden_and_the_outcome_says_so() -> None:
    setup = make_setup("grpo", "rlvitals", {"num_generations": 3})
    outcome = next(o for o in evaluate(setup, {"pf-group-size": {"least": 3}}) if o.rule == "pf-group-size")
    assert outcome.verdict is Verdict.QUIET
    assert not outcome.limit_is_default


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"pf-nothing": {}}, "there is no rule called pf-nothing"),
        ({"pf-top-k": {"most": 1}}, "pf-top-k has no limit called most; it has none"),
        ({"pf-group-size": {"least": "few"}}, "pf-group-size.least must be a positive whole number, but is 'few'"),
    ],
)
def test_limits_that_fit_no_check_are_refused_in_a_sentence(limits, sentence) -> None:
    with pytest.raises(UnknownLimitError, match=re.escape(sentence)):
        evaluate(make_setup("grpo", "rlvitals", {}), limits)


def test_limits_of_rules_that_judge_runs_are_no_error() -> None:
    setup = make_setup("grpo", "rlvitals", {"num_generations": 3})
    assert evaluate(setup, {"kl-negative": {"warning": -1.0}}) == evaluate(setup)


def test_the_defaults_are_those_of_the_bundled_trainer() -> None:
    for algorithm, row in ALGORITHMS.items():
        ((_, known),) = DEFAULTS[algorithm]
        defaults = {option.name: option.default for option in options_of(row.config)}
        for name, value in known.items():
            own = next((alias for alias in arguments_for("rlvitals")[name] if alias in defaults), None)
            assert own is None or value == defaults[own], (algorithm, name)


def test_the_rewards_of_the_demo_tasks_are_those_of_the_bundled_trainer() -> None:
    assert {name: (reward,) for name, reward in DEMO_REWARDS.items()} == {
        name: task.reward_funcs for name, task in TASKS.items()
    }


def test_no_healthy_recipe_is_told_off() -> None:
    for recipe in RECIPES.values():
        if recipe.is_healthy:
            setup = make_setup(
                recipe.algorithm, "rlvitals", recipe.values, model=ModelFacts(parameters=4e5, generation={})
            )
            found = [o.rule for o in evaluate(setup) if o.severity in ("warning", "critical")]
            assert found == [], recipe.name


def test_the_sampling_settings_are_known_by_name() -> None:
    assert CHECKED.keys() >= SAMPLING
    assert dataclasses.is_dataclass(ModelFacts)
