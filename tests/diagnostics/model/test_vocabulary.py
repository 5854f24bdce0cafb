"""Tests of the vocabulary itself."""

from diagnostics.model.algorithms import CRUCIAL, MAIN_REWARD, TELLING
from diagnostics.model.vocabulary import METRICS, metric


def test_every_name_stands_once() -> None:
    names = [entry.name for entry in METRICS]
    assert len(set(names)) == len(names)


def test_every_entry_says_what_it_means() -> None:
    assert [entry.name for entry in METRICS if not entry.meaning.endswith(".") or not entry.title] == []


def test_kl_is_never_without_its_unit() -> None:
    assert [entry.unit for entry in METRICS if entry.name in ("kl_per_sequence", "kl_per_token")] == [
        "nats/sequence",
        "nats/token",
    ]


def test_the_crucial_values_are_in_the_vocabulary() -> None:
    listed = {name for names in (*CRUCIAL.values(), *TELLING.values(), *MAIN_REWARD.values()) for name in names}
    assert [name for name in sorted(listed) if metric(name) is None] == []


def test_one_reward_function_and_an_eval_metric_find_their_entry() -> None:
    assert metric("eval/reward_func_mean/accuracy") is metric("reward_func_mean")


def test_a_raw_tag_is_not_in_the_vocabulary() -> None:
    assert metric("my/own/metric") is None
    assert metric("reward/of_my_own") is None
