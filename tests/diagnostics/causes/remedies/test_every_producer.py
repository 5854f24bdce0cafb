"""Every remedy for every producer: in its own argument names or in words, and only for what the run has."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES, TEXTS
from diagnostics.model.messages import render
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.producers.producer import Producer
from diagnostics.producers.setting_lookup import ANY_PRODUCER, settings_of_run
from diagnostics.producers.table import PRODUCERS

MakeRun = Callable[..., Run]
ALGORITHMS = ("ppo", "ppo-legacy", "grpo", "rloo", "online-dpo", "unknown")
ARGUMENT = re.compile(r"(?<![\w.])\w+(?:[._]\w+)+")
"""A word that looks like the name of an argument."""
EVERYBODYS = {name for names in ANY_PRODUCER.values() for name in names} | set(ANY_PRODUCER)
"""Every argument of every producer, and the canonical names, which are nobody's."""
SEVERAL_REWARDS = {"reward_func_mean/accuracy": "0.5x9", "reward_func_mean/format": "0.5x9"}


def arguments_of(producer: Producer, algorithm: str) -> set[str]:
    table = {argument for arguments in producer.settings.values() for argument in arguments}
    return set(producer.arguments.get(algorithm, table))


def fixes(make_run: MakeRun, producer: Producer, algorithm: str) -> Iterator[tuple[str, Fix]]:
    """What each remedy suggests for a run of the producer that states no setting."""
    settings = settings_of_run(producer.name, algorithm, {})
    run = replace(make_run(algorithm, functions=SEVERAL_REWARDS), producer=producer.name, settings=settings)
    suggested = ((name, remedy.fix(run)) for name, remedy in REMEDIES.items())
    return ((name, fix) for name, fix in suggested if fix is not None)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("producer", PRODUCERS, ids=lambda producer: producer.name)
def test_a_fix_names_the_producers_own_argument_or_none(make_run: MakeRun, producer: Producer, algorithm: str) -> None:
    found, own = list(fixes(make_run, producer, algorithm)), arguments_of(producer, algorithm)
    assert {name: fix.parameter for name, fix in found if fix.parameter and fix.parameter not in own} == {}
    assert [name for name, fix in found if not fix.parameter and fix.suggested is not None] == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("producer", PRODUCERS, ids=lambda producer: producer.name)
def test_the_reason_of_a_fix_names_nobody_elses_argument(make_run: MakeRun, producer: Producer, algorithm: str) -> None:
    foreign = EVERYBODYS - arguments_of(producer, algorithm)
    reasons = {name: render(fix.why, TEXTS) for name, fix in fixes(make_run, producer, algorithm)}
    assert {name: words for name, text in reasons.items() if (words := {*ARGUMENT.findall(text)} & foreign)} == {}


@pytest.mark.parametrize("producer", PRODUCERS, ids=lambda producer: producer.name)
def test_nothing_is_suggested_for_a_mechanism_that_is_not_known_to_be_there(
    make_run: MakeRun, producer: Producer
) -> None:
    """Only of the first PPOTrainer it is known that its scripts must hand `generate` neutral values."""
    for algorithm in set(ALGORITHMS) - {"ppo-legacy"}:
        named = {name for name, _ in fixes(make_run, producer, algorithm)}
        assert named & {"free-end", "no-top-k", "no-top-p", "no-min-p", "no-repetition-penalty", "no-dropout"} == set()
        assert named & {"bf16", "fitted-kl", "adaptive-entropy", "importance-correction", "unpaid-marks"} == set()


def test_no_remedy_leads_to_a_reward_models_path() -> None:
    """A trainer's configuration states one even where a function gives the rewards."""
    assert {name for remedy in REMEDIES.values() for names in remedy.settings.values() for name in names} & {
        "reward_model",
        "model",
    } == set()


@pytest.mark.parametrize("producer", ["tinker", "verl", "nemo-rl", "unknown"])
def test_going_back_to_a_checkpoint_changes_no_model_path(make_run: MakeRun, producer: str) -> None:
    settings = settings_of_run(producer, "grpo", {})
    fix = REMEDIES["earlier-checkpoint"].fix(replace(make_run("grpo"), producer=producer, settings=settings))
    assert fix is not None
    expected = {"tinker": "load_checkpoint_path", "verl": "trainer.resume_from_path"}.get(producer, "")
    assert (fix.parameter, fix.suggested) == (expected, None)


def test_a_penalty_whose_switch_is_off_is_switched_on_before_its_weight_is_raised(make_run: MakeRun) -> None:
    actor = "actor_rollout_ref.actor"
    config = {f"{actor}.use_kl_loss": False, f"{actor}.kl_loss_coef": 0.001}
    run = replace(make_run("grpo"), producer="verl", settings=settings_of_run("verl", "grpo", config))
    on = REMEDIES["kl-penalty-on"].fix(run)
    assert on is not None
    assert (on.parameter, on.current, on.suggested) == (f"{actor}.use_kl_loss", False, True)
    assert REMEDIES["stronger-kl"].fix(run) is None
