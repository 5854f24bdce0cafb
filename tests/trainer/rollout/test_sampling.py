import pytest
import torch

from trainer.rollout.generation import next_tokens
from trainer.rollout.sampling import LARGEST_UNIFORM, Sampling, bent_logits, draw, draw_uniforms

LOGITS_AV = torch.tensor([[4.0, 3.0, 2.0, 1.0]])
EOS = 0


def sampling(**changes) -> Sampling:
    return Sampling(max_new_tokens=8, eos_ids=(EOS,), pad_id=3, **changes)


def kept_tokens(**changes) -> list[int]:
    bent_AV = bent_logits(LOGITS_AV, sampling(**changes), position=0, seen_AV=None)
    return bent_AV[0].isfinite().nonzero().squeeze(1).tolist()


def test_the_safe_values_keep_every_token():
    assert kept_tokens() == [0, 1, 2, 3]
    assert sampling().is_the_policy


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"top_k": 2}, [0, 1]),
        ({"top_p": 0.6}, [0]),  # probabilities .64 .24 .09 .03
        ({"top_p": 0.7}, [0, 1]),
        ({"min_p": 0.3}, [0, 1]),
        ({"min_new_tokens": 1}, [1, 2, 3]),
    ],
)
def test_each_processor_drops_its_tokens(changes, expected):
    assert kept_tokens(**changes) == expected
    assert not sampling(**changes).is_the_policy


def test_the_end_is_allowed_again_after_min_new_tokens():
    bent_AV = bent_logits(LOGITS_AV, sampling(min_new_tokens=2), position=2, seen_AV=None)
    assert bent_AV.isfinite().all()


def test_the_repetition_penalty_makes_seen_tokens_less_likely_whatever_their_sign():
    logits_AV = torch.tensor([[2.0, -2.0, 2.0, -2.0]])
    seen_AV = torch.tensor([[True, True, False, False]])
    bent_AV = bent_logits(logits_AV, sampling(repetition_penalty=2.0), position=0, seen_AV=seen_AV)
    assert bent_AV.tolist() == [[1.0, -4.0, 2.0, -2.0]]


def test_drawing_follows_the_probabilities_and_never_takes_an_impossible_token():
    probs_AV = torch.tensor([[0.0, 0.25, 0.0, 0.75, 0.0]]).expand(20_000, 5)
    tokens_A = draw(probs_AV, torch.rand(20_000, generator=torch.Generator().manual_seed(0)))
    shares = tokens_A.bincount(minlength=5) / len(tokens_A)
    assert shares[[0, 2, 4]].tolist() == [0.0, 0.0, 0.0]
    assert shares[3].item() == pytest.approx(0.75, abs=0.02)


def test_each_row_is_drawn_by_its_own_number():
    probs_AV = torch.tensor([[0.25, 0.5, 0.25]]).expand(4, 3)
    assert draw(probs_AV, torch.tensor([0.0, 0.3, 0.7, 0.8])).tolist() == [0, 1, 1, 2]


def test_the_largest_number_draws_the_last_possible_token():
    probs_AV = torch.tensor([[0.5, 0.5, 0.0]])
    assert draw(probs_AV, torch.tensor([LARGEST_UNIFORM])).tolist() == [1]


def test_no_number_is_so_near_to_1_that_rounding_could_lead_behind_the_last_token(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, generator: torch.full(shape, 1 - 2**-24))
    assert draw_uniforms(2, sampling(), torch.Generator()).eq(LARGEST_UNIFORM).all()


def test_a_rollout_takes_the_same_numbers_whatever_is_written():
    generator = torch.Generator().manual_seed(0)
    first, second = draw_uniforms(4, sampling(), generator), draw_uniforms(4, sampling(), generator)
    assert first.shape == (4, 8)
    assert not torch.equal(first, second)
    assert torch.equal(first, draw_uniforms(4, sampling(), torch.Generator().manual_seed(0)))


def test_a_row_of_nan_draws_token_0_and_leaves_the_other_rows_alone():
    probs_AV = torch.tensor([[float("nan")] * 4, [0.0, 0.0, 1.0, 0.0]])
    assert draw(probs_AV, torch.tensor([0.5, 0.5])).tolist() == [0, 2]


def test_log_probabilities_are_of_the_full_policy_even_when_one_token_is_left():
    tokens_A, logprobs_A = next_tokens(LOGITS_AV, sampling(top_k=1), 0, None, torch.tensor([0.5]))
    assert tokens_A.tolist() == [0]
    assert logprobs_A.item() == pytest.approx(LOGITS_AV.log_softmax(1)[0, 0].item())
    assert logprobs_A.item() < -0.4


def test_a_hotter_rollout_leaves_the_scored_temperature_alone():
    hot = sampling(temperature=0.5, rollout_temperature=2.0, do_sample=False)
    _, logprobs_A = next_tokens(LOGITS_AV, hot, 0, None, torch.tensor([0.5]))
    assert logprobs_A.item() == pytest.approx((LOGITS_AV / 0.5).log_softmax(1)[0, 0].item())
