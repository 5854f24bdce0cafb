import math

import pytest
import torch

from trainer.config.algorithms import make_config
from trainer.rewards.score_scaling import RunningMoments, ScoreScaler

SCORES = torch.tensor([1.0, 2.0, 4.0, 9.0, -3.0, 0.5])


def ppo(**values):
    return make_config("ppo", values)


@pytest.mark.parametrize("sizes", [[6], [1, 5], [3, 3], [1, 1, 1, 1, 1, 1]])
def test_running_moments_are_those_of_all_values_at_once(sizes):
    moments = RunningMoments()
    for batch in SCORES.split(sizes):
        moments.update(batch)
    assert moments.count == 6
    assert moments.mean == pytest.approx(float(SCORES.mean()))
    assert moments.std == pytest.approx(float(SCORES.std()))


def test_until_there_is_a_deviation_nothing_is_divided():
    moments = RunningMoments()
    assert moments.std == 1
    moments.update(torch.tensor([5.0]))
    assert moments.std == 1
    moments.update(torch.tensor([5.0, 5.0]))
    assert (moments.mean, moments.std) == (5.0, 1.0)


def test_a_nan_stays_a_nan_and_spoils_no_later_score():
    scaler, config = ScoreScaler(), ppo(use_score_scaling=True)
    scaled = scaler.scaled(torch.tensor([1.0, math.nan, 3.0]), config)
    assert scaled.isnan().tolist() == [False, True, False]
    assert scaler.scaled(torch.tensor([1.0, 3.0]), config).isfinite().all()


def test_what_cannot_be_scored_counts_in_no_moment():
    scaler, config = ScoreScaler(), ppo(use_score_scaling=True, use_score_norm=True)
    padded = torch.cat([SCORES, torch.zeros(6)])
    scaled = scaler.scaled(padded, config, torch.arange(12) < 6)
    assert torch.equal(scaled[:6], ScoreScaler().scaled(SCORES, config))
    assert torch.equal(scaler.scaled(SCORES, config, torch.zeros(6).bool()), scaled[:6])


def test_all_off_the_scores_are_left_as_they_are():
    assert torch.equal(ScoreScaler().scaled(SCORES, ppo()), SCORES)


def test_scaling_divides_by_the_deviation_of_all_scores_so_far():
    scaler, config = ScoreScaler(), ppo(use_score_scaling=True)
    scaler.scaled(SCORES[:3], config)
    assert torch.allclose(scaler.scaled(SCORES[3:], config), SCORES[3:] / SCORES.std())


def test_normalising_takes_off_their_mean_first():
    scaler, config = ScoreScaler(), ppo(use_score_scaling=True, use_score_norm=True)
    scaler.scaled(SCORES[:3], config)
    assert torch.allclose(scaler.scaled(SCORES[3:], config), (SCORES[3:] - SCORES.mean()) / SCORES.std())


def test_clipping_bounds_the_scaled_score_on_both_sides():
    assert ScoreScaler().scaled(SCORES, ppo(score_clip=2.0)).tolist() == [1.0, 2.0, 2.0, 2.0, -2.0, 0.5]
    scaled = ScoreScaler().scaled(SCORES, ppo(use_score_scaling=True, score_clip=0.5))
    assert scaled.abs().max() == 0.5


def test_a_saved_scaler_goes_on_where_it_was():
    config = ppo(use_score_scaling=True, use_score_norm=True)
    first, second = ScoreScaler(), ScoreScaler()
    first.scaled(SCORES[:4], config)
    second.load_state_dict(first.state_dict())
    assert torch.equal(first.scaled(SCORES[4:], config), second.scaled(SCORES[4:], config))
