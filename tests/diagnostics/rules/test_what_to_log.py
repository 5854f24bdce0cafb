"""What could not be checked is told in the words of the run's producer: its tags, its settings, or plain English."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.run import Run
from diagnostics.model.vocabulary import METRICS
from diagnostics.producers.producer import Producer
from diagnostics.producers.setting_lookup import ANY_PRODUCER, settings_of_run
from diagnostics.producers.table import PRODUCERS
from diagnostics.producers.trainer import Trainer
from diagnostics.rules import RUN_RULES, SAMPLE_RULES, TEXTS, evaluate
from diagnostics.texts import templates

MakeRun = Callable[..., Run]
NAME = re.compile(r"(?<![\w.{-])\w+(?:[._/-]\w+)+")
"""A word that looks like the name of an argument or a tag."""
ARGUMENTS = {name for names in ANY_PRODUCER.values() for name in names} | set(ANY_PRODUCER)
TAGS = {tag for producer in PRODUCERS for trainer in producer.trainers for tag in trainer.tags}
METRIC_NAMES = {metric.name for metric in METRICS}
ALGORITHMS = ("ppo", "grpo", "rloo")
TRAINERS = [(producer, trainer) for producer in PRODUCERS for trainer in producer.trainers]
TOLD_OF_ONE_TRAINER = {"legacy-batches-skipped", "entropy-metric-artefact"}


def unchecked(make_run: MakeRun, producer: Producer, trainer: Trainer, algorithm: str) -> Iterator[Outcome]:
    """What could not be checked in a run of the producer that logs next to nothing and states no setting."""
    settings, tags = settings_of_run(producer.name, algorithm, {}), trainer.tags_of(algorithm)
    run = replace(make_run(algorithm, loss="0.1x30"), producer=producer.name, settings=settings, tags=tags)
    return (outcome for outcome in evaluate(run) if outcome.verdict is Verdict.SKIPPED)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("producer", "trainer"), TRAINERS, ids=lambda item: item.name)
def test_what_to_log_names_no_foreign_argument_tag_or_metric(
    make_run: MakeRun, producer: Producer, trainer: Trainer, algorithm: str
) -> None:
    table = {argument for arguments in producer.settings.values() for argument in arguments}
    own = {*producer.arguments.get(algorithm, table), *trainer.tags}
    foreign = (ARGUMENTS | TAGS | METRIC_NAMES) - own
    said = {
        outcome.rule: " ".join(render(told, templates()) for told in (outcome.message, outcome.enable) if told)
        for outcome in unchecked(make_run, producer, trainer, algorithm)
        if outcome.rule not in TOLD_OF_ONE_TRAINER
    }
    assert len(said) > 10
    assert {rule: names for rule, text in said.items() if (names := {*NAME.findall(text)} & foreign)} == {}


@pytest.mark.parametrize(
    ("producer", "expected"),
    [
        ("trl", "Set beta above 0."),
        ("verl", "Switch actor_rollout_ref.actor.use_kl_loss on."),
        ("tinker", "Set kl_penalty_coef above 0."),
        ("slime", "Log the KL to the reference."),
    ],
)
def test_a_kl_that_is_not_logged_is_switched_on_by_the_producers_own_setting(
    make_run: MakeRun, producer: str, expected: str
) -> None:
    settings = settings_of_run(producer, "grpo", {})
    outcomes = evaluate(replace(make_run("grpo", reward="1x20"), producer=producer, settings=settings))
    (outcome,) = (item for item in outcomes if item.rule == "kl-runaway")
    assert outcome.enable is not None
    assert render(outcome.enable, templates()) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"truncated_fraction": "completions/clipped_ratio"}, "Log completions/clipped_ratio."),
        ({}, "Log “Cut-off completions”."),
    ],
)
def test_a_missing_metric_goes_by_the_producers_tag_or_its_title(
    make_run: MakeRun, tags: dict[str, str], expected: str
) -> None:
    outcomes = evaluate(replace(make_run("grpo", reward="1x20"), tags=tags))
    (outcome,) = (item for item in outcomes if item.rule == "truncation-high")
    assert outcome.enable is not None
    assert render(outcome.enable, templates()) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [({"reward": "reward"}, "Log eval/reward."), ({}, "Log one of “Score” on held-out prompts, “Reward” on held-out ")],
)
def test_a_metric_of_held_out_prompts_is_told_as_that(make_run: MakeRun, tags: dict[str, str], expected: str) -> None:
    outcomes = evaluate(replace(make_run("grpo", reward="1x20"), tags=tags))
    (outcome,) = (item for item in outcomes if item.rule == "train-eval-divergence")
    assert outcome.enable is not None
    assert render(outcome.enable, templates()).startswith(expected)


def test_no_sentence_of_a_rule_about_runs_holds_an_argument_that_it_was_not_given() -> None:
    rules = {rule.name for rule in (*RUN_RULES, *SAMPLE_RULES) if rule.name not in TOLD_OF_ONE_TRAINER}
    own = {key: text for key, text in TEXTS.items() if key.partition(".")[0] in {*rules, "missing", "samples"}}
    arguments = {key: names for key, text in own.items() if (names := {*NAME.findall(text)} & ARGUMENTS)}
    assert arguments == {}
