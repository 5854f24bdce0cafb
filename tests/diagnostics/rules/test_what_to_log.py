"""What could not be checked is told in the words of the run's producer: its tags, its settings, or plain English."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.api import open_run
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


def enabling(run: Run, rule: str) -> str:
    """What would enable a rule in a run."""
    (outcome,) = (outcome for outcome in evaluate(run) if outcome.rule == rule)
    assert outcome.enable is not None
    return render(outcome.enable, templates())


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
        ({}, "Log the share of answers that are cut off."),
    ],
)
def test_a_missing_metric_goes_by_the_producers_tag_or_in_words(
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


def test_held_out_prompts_go_by_the_tag_that_the_producer_has_for_them(make_run: MakeRun) -> None:
    tags = {"reward": "env/all/reward/total", "eval/reward": "test/env/all/reward/total"}
    assert enabling(replace(make_run("grpo", reward="1x20"), tags=tags), "train-eval-divergence") == (
        "Log test/env/all/reward/total."
    )


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("reward-func-stagnant", "Log the mean of each reward function."),
        ("zero-variance-groups", "Log the share of groups whose answers got equal rewards."),
        ("tiny-std-amplification", "Log the standard deviation of the rewards."),
        ("grpo-clip-ratio-high", "Log the share of clipped tokens."),
        ("grader-slow", "Log the seconds of a step spent on scoring."),
    ],
)
def test_a_title_that_says_too_little_is_told_in_words(make_run: MakeRun, rule: str, expected: str) -> None:
    run = replace(make_run("grpo", reward="1x20", step_time="9x20"), settings=settings_of_run("openrlhf", "grpo", {}))
    assert enabling(run, rule) == expected


@pytest.mark.parametrize("rule", ["zero-variance-groups", "tiny-std-amplification", "reward-std-shrink"])
@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({}, "Log completions with their rewards (trainer.rollout_data_dir)."),
        (dict.fromkeys(("zero_std_fraction", "reward_std", "score_std"), "own/spread"), "Log own/spread."),
    ],
)
def test_what_follows_from_completions_is_had_by_the_setting_that_logs_them(
    make_run: MakeRun, rule: str, tags: dict[str, str], expected: str
) -> None:
    settings = settings_of_run("verl", "grpo", {})
    run = replace(make_run("grpo", reward="1x20"), producer="verl", settings=settings, tags=tags)
    assert enabling(run, rule) == expected


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (
            {"env/all/turns_per_episode": 3.2},
            "The log has env/all/ac_tokens_per_turn, but it is not used: an episode has several turns, and each of "
            "them is counted by itself.",
        ),
        (
            {},
            "The log has env/all/ac_tokens_per_turn, but it is not used: the log does not say that an episode has one "
            "turn (env/all/turns_per_episode).",
        ),
    ],
)
def test_a_tag_that_is_logged_and_not_used_is_not_called_missing(
    tmp_path: Path, turns: dict[str, float], expected: str
) -> None:
    row = {"env/all/reward/total": 0.3, "env/all/ac_tokens_per_turn": 52.0, "optim/entropy": 0.5, **turns}
    file = tmp_path / "metrics.jsonl"
    file.write_text("".join(json.dumps({"step": step, **row}) + "\n" for step in range(30)))
    outcomes = {outcome.rule: outcome for outcome in evaluate(open_run(file))}

    said = {rule: outcome for rule, outcome in outcomes.items() if outcome.verdict is Verdict.SKIPPED}
    assert render(said["length-collapse"].message, templates()) == expected
    assert enabling(open_run(file), "length-collapse") == "Log the mean length of the answers."
    # "env/…/reward/total" would read like env/all/reward/total, which is there
    assert enabling(open_run(file), "reward-func-stagnant") == "Log the mean of each reward function."


def test_scores_of_several_validation_sets_are_logged_and_not_used(tmp_path: Path) -> None:
    sets = {f"val-core/{name}/reward/mean@1": 0.25 for name in ("gsm8k", "math")}
    row = {"critic/score/mean": 0.3, "response_length/mean": 52.0, "actor/ppo_kl": 0.01, **sets}
    file = tmp_path / "metrics.jsonl"
    file.write_text("".join(json.dumps({"step": step, **row}) + "\n" for step in range(30)))
    (outcome,) = (found for found in evaluate(open_run(file)) if found.rule == "train-eval-divergence")

    assert render(outcome.message, templates()) == (
        "The log has val-core/gsm8k/reward/mean@1, but it is not used: there are several validation sets, and none of "
        "their scores is that of the run."
    )


def test_no_sentence_of_a_rule_about_runs_holds_an_argument_that_it_was_not_given() -> None:
    rules = {rule.name for rule in (*RUN_RULES, *SAMPLE_RULES) if rule.name not in TOLD_OF_ONE_TRAINER}
    own = {key: text for key, text in TEXTS.items() if key.partition(".")[0] in {*rules, "missing", "samples"}}
    arguments = {key: names for key, text in own.items() if (names := {*NAME.findall(text)} & ARGUMENTS)}
    assert arguments == {}
