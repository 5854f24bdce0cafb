"""Checks of how the rollout engine and the trainer are to agree."""

import pytest

from diagnostics.configs.model_folder import facts_of_config
from diagnostics.model.setup import ModelFacts

RULE = "pf-moe-routing"
MIXTURE, DENSE = ModelFacts(experts=128), ModelFacts(experts=1)
REPLAYS = {"policy": {"router_replay": {"enabled": True}}}


@pytest.mark.parametrize(("experts", "word"), [(1, "quiet"), (2, "warning"), (128, "warning")])
def test_a_mixture_needs_two_experts(judged, experts: int, word: str) -> None:
    assert judged(RULE, {}, producer="nemo-rl", model=ModelFacts(experts=experts)).word == word


def test_the_fix_is_in_the_programs_own_form(judged) -> None:
    assert judged(RULE, {}, producer="nemo-rl", model=MIXTURE).fix == ("policy.router_replay.enabled", True)
    mode = {"actor_rollout_ref": {"actor": {"router_replay": {"mode": "disabled"}}}}
    found = judged(RULE, mode, producer="verl", model=MIXTURE)
    assert (found.word, found.fix) == ("warning", ("actor_rollout_ref.actor.router_replay.mode", None))


def test_routing_that_is_repeated_is_quiet(judged) -> None:
    assert judged(RULE, REPLAYS, producer="nemo-rl", model=MIXTURE).word == "quiet"
    mode = {"actor_rollout_ref": {"actor": {"router_replay": {"mode": "R3"}}}}
    assert judged(RULE, mode, producer="verl", model=MIXTURE).word == "quiet"


@pytest.mark.parametrize(("mode", "word"), [("token_truncate", "warning"), ("sequence_mask", "quiet")])
def test_a_correction_by_sequence_is_quiet(judged, mode: str, word: str) -> None:
    config = {"use_vllm": True, "vllm_importance_sampling_mode": mode}
    assert judged(RULE, config, producer="trl", model=MIXTURE).word == word


def test_one_engine_has_one_router(judged) -> None:
    assert judged(RULE, {"use_vllm": False}, producer="trl", model=MIXTURE) is None


def test_a_model_that_was_not_read_is_a_blind_spot(judged) -> None:
    assert judged(RULE, {}, producer="nemo-rl").word == "skipped"


@pytest.mark.parametrize(
    ("config", "experts"),
    [
        ({"model_type": "qwen3_moe", "num_experts": 128}, 128),
        ({"model_type": "mixtral", "num_local_experts": 8}, 8),
        ({"model_type": "deepseek_v3", "n_routed_experts": 256}, 256),
        ({"model_type": "a_vision_model", "text_config": {"num_experts": 64}}, 64),
        ({"model_type": "llama"}, 1),
        ({"learning_rate": 1e-6}, None),
    ],
)
def test_a_models_configuration_says_how_many_experts_it_has(config: dict, experts: int | None) -> None:
    assert facts_of_config(config).experts == experts
