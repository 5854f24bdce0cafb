"""How many GPUs a run occupies: told by its log, or unknown."""

from dataclasses import replace

import pytest

from diagnostics.cost.gpus import gpus_of
from diagnostics.producers.setting_lookup import settings_of_run

VERL = {"trainer": {"n_gpus_per_node": 8, "nnodes": 2, "device": "cuda"}}
SKYRL = {"policy_num_nodes": 1, "policy_num_gpus_per_node": 4}


@pytest.fixture
def gpus(make_run):
    """The GPUs of a run of this producer with this configuration."""

    def count(producer: str, config: dict, device: str = "") -> int | None:
        return gpus_of(replace(make_run("grpo"), device=device, settings=settings_of_run(producer, "grpo", config)))

    return count


@pytest.mark.parametrize(
    ("producer", "config", "expected"),
    [
        ("verl", VERL, 16),
        ("verl", {"trainer.n_gpus_per_node": 8, "trainer.nnodes": 1}, 8),
        ("verl", {**VERL, "rollout": {"nnodes": 1, "n_gpus_per_node": 8}}, 24),
        ("verl", {**VERL, "actor_rollout_ref": {"rollout": {"nnodes": 0, "n_gpus_per_node": 8}}}, 16),
        ("verl", {"trainer": {**VERL["trainer"], "device": "cpu"}}, 0),
        ("verl", {"trainer": {"n_gpus_per_node": 8}}, None),
        ("verl", {"trainer": {"n_gpus_per_node": "${oc.env:GPUS}", "nnodes": 1}}, None),
        ("nemo-rl", {"cluster": {"gpus_per_node": 8, "num_nodes": 4}}, 32),
        ("skyrl", {"trainer": {"placement": {**SKYRL, "colocate_all": True}}}, 4),
        ("skyrl", {"trainer": {"placement": {**SKYRL, "colocate_all": False}}}, None),
        ("trl", {"use_cpu": True, "num_processes": 2}, 0),
        ("trl", {"use_cpu": False, "world_size": 4}, None),
        ("trl", {}, None),
    ],
)
def test_a_number_of_gpus_is_told_by_the_settings(gpus, producer, config, expected) -> None:
    assert gpus(producer, config) == expected


@pytest.mark.parametrize(("device", "expected"), [("cuda", 4), ("cpu", 0), ("", None)])
def test_processes_are_gpus_where_the_log_says_that_they_train_on_such(gpus, device: str, expected) -> None:
    assert gpus("rlvitals", {"num_processes": 4}, device) == expected


@pytest.mark.parametrize(
    ("logged", "expected"),
    [
        ({"step_tokens": "16000 32000 8000", "step_time": "10 20 5", "tokens_per_second_per_gpu": "200x3"}, 8),
        ({"tokens_per_second": "1600 1601 1599", "tokens_per_second_per_gpu": "200x3"}, 8),
        ({"tokens_per_second": "1600 1620 1600", "tokens_per_second_per_gpu": "200x3"}, None),
        ({"tokens_per_second": "1500x3", "tokens_per_second_per_gpu": "200x3"}, None),
        ({"tokens_per_second": "1600x2", "tokens_per_second_per_gpu": "200x2"}, None),
        ({"tokens_per_second": "1600x3", "tokens_per_second_per_gpu": "200 0 200"}, None),
        ({"tokens_per_second": "50x3", "tokens_per_second_per_gpu": "200x3"}, None),
        ({"tokens_per_second_per_gpu": "200x3"}, None),
        ({"tokens_per_second": "1600x3"}, None),
    ],
)
def test_a_throughput_per_gpu_tells_by_how_many_it_was_divided(make_run, logged, expected) -> None:
    assert gpus_of(make_run("grpo", **logged)) == expected


def test_what_the_settings_say_counts_before_the_throughput(make_run) -> None:
    run = make_run("grpo", tokens_per_second="1600x3", tokens_per_second_per_gpu="200x3")
    assert gpus_of(replace(run, settings=settings_of_run("verl", "grpo", VERL))) == 16
    assert gpus_of(replace(run, device="cpu")) == 0
