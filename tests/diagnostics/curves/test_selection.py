"""The crucial values come in the documents' order, everything else after them, nothing twice and nothing dropped."""

from pathlib import Path

from diagnostics.api import open_run
from diagnostics.curves.selection import crucial_series, main_reward, other_series
from diagnostics.model.run import Run
from diagnostics.runlog import RunLog

ROW = {
    "my/own": 1.0,
    "entropy": 0.5,
    "rewards/format/mean": 0.1,
    "completions/clipped_ratio": 0.2,
    "kl": 0.1,
    "reward": 0.3,
    "learning_rate": 1e-4,
}


def grpo(tmp_path: Path) -> Run:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, ROW)
    return open_run(tmp_path / "a")


def test_the_crucial_values_stand_in_the_order_of_the_documents_whether_logged_or_not(tmp_path: Path) -> None:
    values = crucial_series(grpo(tmp_path))
    logged = ["reward", "kl_per_token", "truncated_fraction", "reward_func_mean/format", "entropy_per_token"]
    assert [series.name for series in values if len(series)] == logged
    places = ["reward", "kl_per_token", "clip_ratio", "clip_ratio_region_mean", "truncated_fraction"]
    assert [series.name for series in values][:5] == places


def test_every_series_is_either_crucial_or_among_the_others(tmp_path: Path) -> None:
    run = grpo(tmp_path)
    shown = (*crucial_series(run), *other_series(run))
    assert sorted(series.name for series in shown if len(series)) == sorted(run.series)


def test_unmapped_names_come_last(tmp_path: Path) -> None:
    assert [series.name for series in other_series(grpo(tmp_path))] == ["learning_rate", "my/own"]


def test_parts_of_the_data_stand_behind_the_whole(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {**ROW, "part/math/reward": 0.5, "all/length_mean": 9.0})
    names = [series.name for series in other_series(open_run(tmp_path / "a"))]

    assert names == ["learning_rate", "all/length_mean", "part/math/reward", "my/own"]


def test_the_main_reward_is_what_should_keep_going_up(tmp_path: Path) -> None:
    reward = main_reward(grpo(tmp_path))
    assert reward is not None
    assert reward.name == "reward"


def test_without_a_known_algorithm_what_is_logged_of_any_is_crucial(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="unknown") as log:
        log.log(1, ROW)
    run = open_run(tmp_path / "a")

    named = ["reward", "kl_per_token", "entropy_per_token", "truncated_fraction"]
    assert [series.name for series in crucial_series(run)] == named
    assert not set(named) & {series.name for series in other_series(run)}


def test_the_kl_of_answers_stands_where_that_of_tokens_is_not_logged(tmp_path: Path) -> None:
    file = tmp_path / "grpo.jsonl"
    file.write_text("".join(f'{{"step": {step}, "avg_reward": 0.5, "kl_div": 0.25}}\n' for step in range(9)))

    assert [series.name for series in crucial_series(open_run(file))][:2] == ["reward", "kl_per_sequence"]


def test_a_reward_stands_where_a_loop_of_ones_own_logs_no_score(tmp_path: Path) -> None:
    file = tmp_path / "ppo.jsonl"
    file.write_text("".join(f'{{"step": {step}, "avg_reward": 0.5, "kl_div": 0.25}}\n' for step in range(9)))
    run = open_run(file)
    reward = main_reward(run)

    assert [series.name for series in crucial_series(run) if len(series)] == ["reward", "kl_per_sequence"]
    assert reward is not None
    assert reward.name == "reward"
