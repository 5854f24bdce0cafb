"""The options of TRL's first PPOTrainer, in one real training with all of them on."""

import json

import pytest

pytestmark = pytest.mark.process

OPTIONS = {
    "max_steps": 4,
    "per_device_train_batch_size": 32,
    "response_length": 3,
    "report_to": "none",
    "save_strategy": "no",
    "histogram_steps": 1,
    "adap_kl_ctrl": True,
    "init_kl_coef": 0.2,
    "target": 1e-6,
    "horizon": 320,
    "early_stopping": True,
    "target_kl": 1e-9,
    "warmup_steps": 0,
    "num_ppo_epochs": 3,
    "num_mini_batches": 2,
    "use_score_scaling": True,
    "use_score_norm": True,
    "score_clip": 1.5,
    "reward_baseline": "query",
    "non_eos_penalty": True,
    "penalty_reward_value": -0.25,
}


@pytest.fixture(scope="module")
def lines(tmp_path_factory, training_in):
    """The logged steps."""
    run = training_in(tmp_path_factory.mktemp("options") / "a")
    code, errors = run.train("ppo", *(f"--{name}={value}" for name, value in OPTIONS.items()))
    assert code == 0, errors
    return run.lines


def column(lines, name):
    return [line["metrics"][name] for line in lines]


def test_the_coefficient_is_logged_as_the_step_used_it_and_follows_the_kl(lines):
    coefs, kls = column(lines, "objective/kl_coef"), column(lines, "objective/kl")
    assert coefs[0] == 0.2
    for before, kl, after in zip(coefs, kls, coefs[1:], strict=False):
        error = min(max(kl / 1e-6 - 1, -0.2), 0.2)
        assert after == pytest.approx(before * (1 + error * 32 / 320))
    penalties = column(lines, "objective/non_score_reward")
    assert penalties == pytest.approx([-coef * kl for coef, kl in zip(coefs, kls, strict=True)])


def test_a_pass_that_moved_the_policy_too_far_is_the_last_of_its_step(lines):
    planned, per_pass = 6, 2
    found = column(lines, "policy/updates")
    assert set(found) <= {2, 4, planned}
    assert min(found) == per_pass


def test_the_reward_is_made_from_the_scaled_score(lines):
    scaled, penalties = column(lines, "objective/scaled_scores"), column(lines, "objective/non_score_reward")
    sums = [score + penalty for score, penalty in zip(scaled, penalties, strict=True)]
    assert column(lines, "objective/rlhf_reward") == pytest.approx(sums)


def test_the_query_alone_is_scored_and_a_response_without_an_end_gets_the_penalty_value(lines):
    assert column(lines, "objective/query_scores") == pytest.approx([0.5] * 4)  # the positivity of empty text
    assert all(-0.5 <= score <= 0.5 for score in column(lines, "objective/scores"))
    assert json.dumps(lines).count("NaN") == 0


def test_the_histogram_of_rewards_is_of_what_the_reward_functions_gave(lines):
    for line in lines:
        edges, counts = (line["histograms"]["env/reward_dist"][part] for part in ("edges", "counts"))
        assert 0 <= edges[0] <= line["metrics"]["rewards/remark_positivity/mean"] <= edges[-1] <= 1
        assert sum(counts) == 32
