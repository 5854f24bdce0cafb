"""Which settings of several runs differ, and which of them are defaults."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diagnostics.comparison.setting_groups import OF_PLACES, OF_THE_SEED, group_of
from diagnostics.comparison.settings import settings_table
from diagnostics.model.run import Run
from diagnostics.producers.canonical_settings import SETTINGS
from diagnostics.producers.setting_lookup import settings_of_run

Make = Callable[..., Run]


def of_producer(run: Run, producer: str, version: str | None = None) -> Run:
    settings = settings_of_run(producer, run.algorithm, run.config)
    return replace(run, producer=producer, producer_version=version, settings=settings)


def differing(*runs: Run) -> dict[str, list[Any]]:
    rows = settings_table(runs).differing
    return {row.argument: [None if item is None else item.value for item in row.values] for row in rows}


def test_only_what_differs_is_a_difference(make_run: Make) -> None:
    runs = [make_run("grpo", config={"beta": beta, "learning_rate": 1e-6, "x": "y"}) for beta in (0.0, 0.04)]
    table = settings_table(runs)
    assert differing(*runs) == {"beta": [0.0, 0.04]}
    assert [row.argument for row in table.equal] == ["learning_rate", "x"]
    assert table.total == 3


def test_the_same_value_in_another_spelling_is_no_difference(make_run: Make) -> None:
    typed = make_run("grpo", config={"learning_rate": 1e-6, "bf16": True, "seed": 1, "top_k": None, "a": [1, 2]})
    as_text = make_run(
        "grpo", config={"learning_rate": "1e-06", "bf16": "True", "seed": "1", "top_k": "None", "a": (1, 2)}
    )
    assert differing(typed, as_text) == {}


def test_what_only_some_logs_state_is_apart_and_no_difference(make_run: Make) -> None:
    table = settings_table([make_run("grpo", config={"beta": 0.1}), make_run("grpo", config={"beta": 0.1, "new": 3})])
    assert (table.differing, [row.argument for row in table.partial]) == ((), ["new"])


def test_a_log_without_settings_makes_nothing_differ(make_run: Make) -> None:
    table = settings_table([make_run("grpo", config={"beta": 0.1}), make_run("grpo")])
    assert (table.differing, table.partial, table.silent) == ((), (), (1,))
    assert [row.argument for row in table.equal] == ["beta"]


def test_settings_of_two_producers_meet_under_their_canonical_name(make_run: Make) -> None:
    trl = make_run("grpo", config={"max_completion_length": 256})
    verl = of_producer(make_run("grpo", config={"data": {"max_response_length": 512}}), "verl")
    (row,) = [row for row in settings_table([trl, verl]).differing if row.setting == "max_tokens"]
    assert [item and item.argument for item in row.values] == ["max_completion_length", "data.max_response_length"]


def test_a_default_is_told_from_a_choice_where_the_version_is_known(make_run: Make) -> None:
    chosen, silent = make_run("grpo", config={"beta": 0.04, "seed": 1}), make_run("grpo", config={"seed": 1})
    runs = [of_producer(run, "trl", "1.16.0") for run in (chosen, silent)]
    (row,) = [row for row in settings_table(runs).differing if row.argument == "beta"]
    assert [(item.value, item.is_default) for item in row.values if item] == [(0.04, False), (0.0, True)]


def test_no_default_is_assumed_where_the_version_is_not_known(make_run: Make) -> None:
    runs = [make_run("grpo", config={"beta": 0.0, "seed": 1}), make_run("grpo", config={"seed": 1})]
    (row,) = [row for row in settings_table(runs).partial if row.argument == "beta"]
    assert row.values[1] is None
    assert row.values[0] is not None
    assert row.values[0].is_default is None


def test_what_acts_upon_the_training_comes_before_the_seed_and_names(make_run: Make) -> None:
    runs = [
        make_run("grpo", config={"output_dir": name, "seed": seed, "trainer.experiment_name": name, "beta": seed})
        for name, seed in (("a", 1), ("b", 2))
    ]
    table = settings_table(runs)
    assert [row.argument for row in table.differing] == ["beta", "seed", "output_dir", "trainer.experiment_name"]
    assert [row.group for row in table.differing][1:] == [OF_THE_SEED, OF_PLACES, OF_PLACES]


def test_an_argument_beside_the_one_that_counts_is_told_in_the_same_group(make_run: Make) -> None:
    runs = [of_producer(make_run("grpo", config={"dataset": None, "task": task}), "rlvitals") for task in ("a", "b")]
    (row,) = settings_table(runs).differing
    assert (row.argument, row.setting, row.group) == ("task", None, "rewards and data")


def test_every_canonical_setting_has_a_group_of_its_own() -> None:
    ungrouped = [name for name in SETTINGS if group_of(name, name) == "other arguments"]
    assert ungrouped == []
