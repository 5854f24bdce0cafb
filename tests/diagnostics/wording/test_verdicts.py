"""The verdict on a run in which nothing fired."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.status import Status
from diagnostics.model.supervised import supervised_tags
from diagnostics.runlog import RunLog
from diagnostics.wording.verdicts import verdict_sentence, vital_lines


def test_a_run_that_can_hardly_be_checked_is_not_called_healthy(diagnosed) -> None:
    diagnosis = diagnosed({"some/tag": 1.0}, {"some/tag": 2.0})
    assert diagnosis.verdict == "no-problem-found"
    assert verdict_sentence(diagnosis).startswith("No problem found by ")
    assert any(line.startswith("the reward: Log one of objective/rlhf_reward, ") for line in vital_lines(diagnosis))


def test_a_log_of_supervised_training_is_said_to_hold_no_rl(diagnosed) -> None:
    rows = [{"train/loss": 2.0 - step / 50, "val/accuracy": 0.5} for step in range(50)]
    diagnosis = diagnosed(*rows, algorithm="unknown")
    assert diagnosis.verdict == "not-rl"
    assert verdict_sentence(diagnosis).endswith("policy metric, but loss, val/accuracy.")
    assert vital_lines(diagnosis) == ()


def test_a_log_of_preferences_holds_no_rl(tmp_path: Path) -> None:
    first = {"loss": 0.6, "rewards/chosen": 0.3, "rewards/rejected": -0.1, "logps/chosen": -380.0}
    rows = ({"step": step, **{name: value * (1 + step / 90) for name, value in first.items()}} for step in range(50))
    file = tmp_path / "dpo.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert diagnose(open_run(file)).verdict == "not-rl"


@pytest.mark.parametrize(
    ("tags", "verdict"),
    [
        (("kl",), "not-rl"),  # KTO
        (("eval_kl", "eval_rewards/chosen", "eval_rewards/rejected"), "not-rl"),
        (("delta",), "not-rl"),  # BCO
        (("nll_loss", "rewards/margins", "rewards/accuracies"), "not-rl"),  # CPO
        (("objective/kl", "beta", "val/contain_eos_token"), "no-problem-found"),  # online DPO, NashMD, XPO
        (("kl", "reward"), "no-problem-found"),
    ],
)
def test_what_logs_rewards_of_given_answers_is_rl_only_where_it_makes_answers(
    tmp_path: Path, tags: tuple[str, ...], verdict: str
) -> None:
    names = ("loss", "rewards/chosen", "rewards/rejected", "logps/chosen", *tags)
    rows = [{name: 0.25 + step / 90 + place for place, name in enumerate(names)} | {"step": step} for step in range(50)]
    (tmp_path / "trainer_state.json").write_text(json.dumps({"log_history": rows}))
    assert diagnose(open_run(tmp_path)).verdict == verdict


def test_a_kl_without_answers_to_compare_is_that_of_a_policy(diagnosed) -> None:
    rows = [{"loss": 1 - step / 90, "kl": step / 90, "rewards/chosen": 0.3} for step in range(50)]
    assert diagnosed(*rows, algorithm="unknown").verdict != "not-rl"


@pytest.mark.parametrize(("setting", "is_of_rl"), [("max_completion_length", False), ("num_generations", True)])
def test_a_length_limit_is_no_sign_of_rl_where_answers_are_given(tmp_path: Path, setting: str, is_of_rl: bool) -> None:
    row = {"loss": 0.7, "rewards/chosen": 0.1, "rewards/rejected": -0.1}
    (tmp_path / "trainer_state.json").write_text(json.dumps({"log_history": [{**row, "step": 1}, {**row, "step": 2}]}))
    run = replace(open_run(tmp_path), config={setting: 256})
    assert supervised_tags(run) == (() if is_of_rl else ("loss",))


def test_the_training_of_a_reward_model_holds_no_rl(diagnosed) -> None:
    pairs = {"loss": 0.6, "Accuracy": 0.6, "Margin": 0.2, "Min Reward": -1.3, "Mean Reward": 0.1, "Max Reward": 1.7}
    diagnosis = diagnosed(pairs, {name: value * 1.1 for name, value in pairs.items()}, algorithm="unknown")
    assert diagnosis.verdict == "not-rl"


def test_a_score_of_an_evaluation_makes_no_rl_of_supervised_training(diagnosed) -> None:
    rows = [{"loss": 2.0 - step / 50, "eval/loss": 2.5, "eval/structure_score": 0.1} for step in range(50)]
    assert diagnosed(*rows, algorithm="unknown").verdict == "not-rl"


@pytest.mark.parametrize(("setting", "verdict"), [("warmup_steps", "not-rl"), ("num_generations", "no-problem-found")])
def test_a_loss_beside_a_setting_of_rl_is_not_said_to_be_of_supervised_training(
    tmp_path: Path, setting: str, verdict: str
) -> None:
    with RunLog(tmp_path / "a", algorithm="unknown", config={setting: 2}) as log:
        for step in range(50):
            log.log(step, {"loss": 0.0})
    assert diagnose(open_run(tmp_path / "a")).verdict == verdict


def test_a_supervised_log_is_not_judged_by_what_is_said_of_policies(diagnosed) -> None:
    row = {"loss": 1.0, "grad_norm": 0.2, "learning_rate": 1e-5, "val/accuracy": 0.5}
    rows = [row] * 150 + [{**row, "loss": 1e-6, "grad_norm": 0.0}] * 150
    assert diagnosed(*rows, algorithm="unknown").verdict == "not-rl"


def test_numbers_that_break_are_told_of_a_supervised_log_too(diagnosed) -> None:
    row = {"loss": 1.0, "grad_norm": 0.2, "val/accuracy": 0.5}
    rows = [row] * 30 + [{**row, "loss": float("nan"), "grad_norm": float("nan")}] * 30
    assert diagnosed(*rows, algorithm="unknown").verdict == "critical"


@pytest.mark.parametrize("sign", ["env/return", "mean_reward", "actor/kl", "critic/x"])
def test_one_sign_of_rl_is_enough_to_judge_a_log_as_rl(diagnosed, sign: str) -> None:
    diagnosis = diagnosed({"loss": 1.0, sign: 1.0}, {"loss": 0.9, sign: 1.1}, algorithm="unknown")
    assert diagnosis.verdict == "no-problem-found"


def test_a_run_without_a_metric_is_not_said_to_fail_checks(diagnosed) -> None:
    ended = diagnosed({})
    running = replace(ended, run=replace(ended.run, status=Status("running")))
    assert verdict_sentence(ended) == "Nothing to judge: no metric was logged."
    assert verdict_sentence(running) == "Nothing to judge yet: waiting for the first logged step."
