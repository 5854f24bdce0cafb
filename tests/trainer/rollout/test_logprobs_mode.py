"""Which distribution an engine's log-probabilities are of, as vLLM's `logprobs_mode` names it."""

import pytest
import torch

from trainer.rollout.generation import next_tokens
from trainer.rollout.sampling import Sampling

LOGITS_AV = torch.tensor([[2.0, 1.0, 0.0, -1.0]]).repeat(64, 1)
UNIFORMS_A = torch.linspace(0, 0.9999, 64)


def reported(mode: str | None, **options: object) -> torch.Tensor:
    """(V,) the log-probability reported for each token; NaN for one that is never drawn."""
    sampling = Sampling(4, (), 0, logprobs_mode=mode, **options)
    tokens_A, logprobs_A = next_tokens(LOGITS_AV, sampling, 0, None, UNIFORMS_A)
    found_V = torch.full((4,), torch.nan)
    found_V[tokens_A] = logprobs_A
    return found_V


@pytest.mark.parametrize("mode", [None, "processed_logprobs", "raw_logprobs"])
def test_a_plain_engine_reports_the_policys_whatever_the_mode(mode):
    torch.testing.assert_close(reported(mode), LOGITS_AV[0].log_softmax(0))


@pytest.mark.parametrize(("mode", "temperature"), [(None, 0.5), ("processed_logprobs", 0.5), ("raw_logprobs", 1.0)])
def test_raw_leaves_the_temperature_out(mode, temperature):
    torch.testing.assert_close(reported(mode, temperature=0.5), (LOGITS_AV[0] / temperature).log_softmax(0))


@pytest.mark.parametrize(("mode", "kept"), [(None, 4), ("processed_logprobs", 2), ("raw_logprobs", 4)])
@pytest.mark.parametrize("cut", [{"top_k": 2}, {"top_p": 0.8}])
def test_processed_are_those_of_what_the_cut_off_left(mode, kept, cut):
    expected_V = LOGITS_AV[0, :kept].log_softmax(0)[:2]
    found_V = reported(mode, **cut)
    torch.testing.assert_close(found_V[:2], expected_V)
    assert found_V[2:].isnan().all()


def test_a_hotter_engine_reports_its_own_temperature_only_when_processed():
    hot_V, policy_V = (LOGITS_AV[0] / 2).log_softmax(0), LOGITS_AV[0].log_softmax(0)
    torch.testing.assert_close(reported("processed_logprobs", rollout_temperature=2.0), hot_V)
    torch.testing.assert_close(reported(None, rollout_temperature=2.0), policy_V)
