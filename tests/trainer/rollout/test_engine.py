"""The rollout engine apart from the trainer: which weights it has, and that nothing but a transfer changes them."""

import pytest
import torch
from transformers import PreTrainedModel

from tests.trainer.tiny_models import tiny_model
from trainer.config.options.rollout_engine import EngineSettings
from trainer.rollout.engine import RolloutEngine, rounded

CPU = torch.device("cpu")
NAME = "model.norm.weight"


def settings(staleness: int = 0, rounding: str | None = None) -> EngineSettings:
    return EngineSettings(staleness, is_synced=True, rounding=rounding, logprobs_mode="processed_logprobs")


def moved(policy: PreTrainedModel) -> None:
    """An update: every parameter grows by 1."""
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(1)


def level(engine: RolloutEngine, chosen: EngineSettings) -> float:
    """How many updates the engine's weights have seen; its norm starts at 1."""
    return engine.with_weights_for(chosen).get_parameter(NAME)[0].item() - 1


def test_an_update_reaches_the_engine_only_by_a_transfer():
    policy = tiny_model("llama")
    engine = RolloutEngine(policy, [settings()], CPU)
    moved(policy)
    assert level(engine, settings()) == 0
    engine.receive(is_synced=True)
    assert level(engine, settings()) == 1
    assert engine.staleness == 0


def test_an_engine_that_is_k_steps_behind_begins_with_what_there_is():
    policy = tiny_model("llama")
    engine = RolloutEngine(policy, [settings(2)], CPU)
    seen = []
    for _ in range(5):
        seen.append((level(engine, settings(2)), engine.staleness))
        moved(policy)
        engine.receive(is_synced=True)
    assert seen == [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]


def test_a_transfer_that_never_arrives_is_counted_all_the_same():
    policy = tiny_model("llama")
    engine = RolloutEngine(policy, [settings()], CPU)
    for _ in range(3):
        moved(policy)
        engine.receive(is_synced=False)
    assert (level(engine, settings()), engine.staleness) == (0, 0)
    moved(policy)
    engine.receive(is_synced=True)
    assert level(engine, settings()) == 4


def test_only_as_many_versions_are_kept_as_any_step_asks_for():
    policy = tiny_model("llama")
    engine = RolloutEngine(policy, [settings(), settings(1)], CPU)
    for _ in range(3):
        engine.receive(is_synced=True)
    assert len(engine.state_dict()["versions"]) == 2


def test_another_engine_goes_on_from_the_state_bit_for_bit(same_state):
    policy = tiny_model("llama")
    engine, other = RolloutEngine(policy, [settings(1)], CPU), RolloutEngine(tiny_model("llama"), [settings(1)], CPU)
    moved(policy)
    engine.receive(is_synced=True)
    other.load_state_dict(engine.state_dict())
    for chosen in (settings(), settings(1)):
        assert same_state(engine.with_weights_for(chosen).state_dict(), other.with_weights_for(chosen).state_dict())
    other.receive(is_synced=True)
    assert len(other.state_dict()["versions"]) == 2


def test_the_engine_computes_what_its_weights_say_and_leaves_the_policy_alone():
    policy, ids_BS = tiny_model("llama"), torch.tensor([[2, 3, 4]])
    engine = RolloutEngine(policy, [settings()], CPU)
    before_BSV = policy(ids_BS).logits
    moved(policy)
    torch.testing.assert_close(engine.with_weights_for(settings())(ids_BS).logits, before_BSV)
    assert not torch.allclose(policy(ids_BS).logits, before_BSV)
    assert all(parameter.requires_grad for parameter in policy.parameters())


@pytest.mark.parametrize(("precision", "least", "most"), [("bfloat16", 1e-5, 2**-8), ("float8_e4m3fn", 1e-3, 2**-4)])
def test_rounding_moves_a_weight_by_no_more_than_its_precision(precision, least, most):
    weight = torch.randn(64, 64, generator=torch.Generator().manual_seed(0))
    large = weight[weight.abs() > 0.1]
    apart = ((rounded(weight, precision)[weight.abs() > 0.1] - large) / large).abs()
    assert least < apart.mean().item() < apart.max().item() <= most
    assert rounded(weight, precision).dtype == torch.float32


def test_rounding_leaves_vectors_and_empty_matrices_as_they_are():
    assert rounded(torch.zeros(3, 3), "float8_e4m3fn").tolist() == torch.zeros(3, 3).tolist()
    vector = torch.randn(64, generator=torch.Generator().manual_seed(0))
    assert rounded(vector, "float8_e4m3fn") is vector
    assert rounded(vector, None) is vector


def test_weights_are_rounded_for_generating_and_kept_as_they_were():
    policy = tiny_model("llama")
    engine = RolloutEngine(policy, [settings(), settings(rounding="bfloat16")], CPU)
    name = "model.layers.0.mlp.up_proj.weight"
    exact = policy.get_parameter(name)
    assert not torch.equal(engine.with_weights_for(settings(rounding="bfloat16")).get_parameter(name), exact)
    assert torch.equal(engine.with_weights_for(settings()).get_parameter(name), exact)
