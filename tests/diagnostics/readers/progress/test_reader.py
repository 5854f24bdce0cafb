"""Tests of what trainers of one's own print: which lines are rows, what they say, and which texts hold a training."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from diagnostics.api import find_runs, open_run
from diagnostics.readers.progress import reader as progress
from diagnostics.readers.progress.lines import numbers_of_pure_line, parse_line
from tests.diagnostics.readers.consoles import left_for, points, written
from tests.pace import cpu_seconds_below

CHAT = """epoch: 0|step: {}|ppo_ep: 1|act_loss: 0.2099609375|cri_loss: 0.12042236328125|unsuper_loss: 0.0
average reward score: -0.679
-------------------------------------------------------------------------------------
|E2E latency=7.99s |Gather latency=0.00s (0.00%) |Generate time=5.26s (65.81%) |AvgSamplesPerSec=8.01
[2023-04-18 08:48:36,058] [INFO] [timer.py:199:stop] epoch=0/micro_step=10/global_step=10, MemAllocated=10.77GB
"""


def read(file: Path) -> Any:
    return progress.Reader(file).refresh()


@pytest.mark.parametrize(
    ("line", "form", "step", "total", "values"),
    [
        ("Step  10/40 | loss=0.3938 | reward=0.70", "Step #/#", 10, 40, {"loss": 0.3938, "reward": 0.7}),
        ("[gsm8k_8B_s042]   1/50 | loss=-0.98 | acc=50.0%", "#/#", 1, 50, {"loss": -0.98, "acc": 50.0}),
        ("Epoch:[1/1](195/500), Reward: 0.3, Avg Len: 146, LR: 7.1e-7", "Epoch:[#/#] (#/#)", 195, 500,
         {"Reward": 0.3, "Avg Len": 146.0, "LR": 7.1e-7}),
        ("epoch: 0|step: 3|act_loss: 0.25|ppo_ep: 1", "epoch: # step: #", 3, None, {"act_loss": 0.25, "ppo_ep": 1.0}),
        ("INFO 11-25 15:14:39 train.py:12 iter 7: loss 0.3, reward: tensor(0.5)", "iter #", 7, None, {"reward": 0.5}),
        ("global_step=8 loss=nan kl=-inf", "global_step=#", 8, None, {"loss": math.nan, "kl": -math.inf}),
        ("\x1b[32mEpoch 3/10\x1b[0m - loss: 0.5", "Epoch #/#", 3, 10, {"loss": 0.5}),
        ("rl:  5%|▌    | 5/99 [00:10<01:20, 1.1it/s, loss=0.5, r=1]", "#/#", 5, 99, {"loss": 0.5, "r": 1.0}),
        ("[Step 3] reward 0.25 loss 0.5", "Step #", 3, None, {"reward": 0.25, "loss": 0.5}),
        ("step 3 of 9 kl 0.25 reward nan", "step # of #", 3, 9, {"kl": 0.25, "reward": math.nan}),
        ("2026-01-01 - INFO - {'step': 3, 'reward': 0.25}", "step: #", 3, None, {"reward": 0.25}),
        ('INFO:root:{"step": 3, "kl": 0.5}', "step: #", 3, None, {"kl": 0.5}),
        ("[003] reward=0.25 loss=0.5", "[#]", 3, None, {"reward": 0.25, "loss": 0.5}),
        ("rollout 3: mean_reward=0.25", "rollout #", 3, None, {"mean_reward": 0.25}),
        ("Ep 3 | loss=0.5", "Ep #", 3, None, {"loss": 0.5}),
        ("pass 1/4 step 3/9 lr 5e-6 reward 0.5", "pass #/# step #/#", 3, 9, {"lr": 5e-6, "reward": 0.5}),
        ("grpo_step=3 loss=0.5", "grpo_step=#", 3, None, {"loss": 0.5}),
        ("Step 3: accuracy 0.75 (reward: 0.25)", "Step #", 3, None, {"reward": 0.25}),
        ("[step 3] SKIP rewards=[1, 1] rollout=84s", "step #", 3, None, {"rewards": 1, "reward_std": 0, "rollout": 84}),
        ("step 3: rewards=[1, 0, 0.5] kl=0.1", "step #", 3, None, {"rewards": 0.5, "reward_std": 0.5, "kl": 0.1}),
        ("step 3: rewards=[0.5] kl=0.1", "step #", 3, None, {"rewards": 0.5, "kl": 0.1}),
        ("step 3: rewards=[1, e, 2] kl=0.1", "step #", 3, None, {"kl": 0.1}),
        ("Mean reward @ step 3: 0.25, KL: 0.5", "step #", 3, None, {"Mean reward": 0.25, "KL": 0.5}),
        ("Reward at step 3/9 = 0.25", "step #/#", 3, 9, {"Reward": 0.25}),
        ("**Step 3** reward: `0.25` kl: `0.5`", "Step #", 3, None, {"reward": 0.25, "kl": 0.5}),
        ("[Epoch 1][Batch 3/9] Loss 0.5 | Reward 0.25", "Epoch # Batch #/#", 3, 9, {"Loss": 0.5, "Reward": 0.25}),
        ("step 3 -- mean_reward: (-0.25) -- decoding 5 samples:", "step #", 3, None, {"mean_reward": -0.25}),
        ("Step 4/9 | loss=0.5 | chain=[TOOL → ANSWER] reward=0.25", "Step #/#", 4, 9, {"loss": 0.5, "reward": 0.25}),
    ],
)  # fmt: skip
def test_a_line_says_its_step_and_its_numbers(
    line: str, form: str, step: int, total: int | None, values: dict[str, float]
) -> None:
    found = parse_line(line)

    assert found is not None
    assert (found.form, found.step, found.total) == (form, step, total)
    numbers = {name: float(number) for name, number in found.numbers.items()}
    assert numbers == pytest.approx(values, nan_ok=True)


@pytest.mark.parametrize(
    "line",
    [
        "average reward score: 0.5",
        "Free memory : 19.605713 (GigaBytes)",
        "see http://host:8000 for more",
        "time per step=0.5: slow",
        "step_time: 3",
        "took 12:30:05 until 2023/04/18",
        "",
    ],
)
def test_a_line_without_a_step_is_no_row(line: str) -> None:
    assert parse_line(line) is None


def test_a_line_of_nothing_but_numbers_is_told_from_others() -> None:
    assert numbers_of_pure_line("|a b=7.99s |c=0.00s (0.00%)|") == {"a b": "7.99", "c": "0.00"}
    assert numbers_of_pure_line("[DEBUG] gen[3] reward=-2.0") == {}
    assert numbers_of_pure_line("the reward was x=3 as usual") == {}


def test_what_deepspeed_chat_prints_below_a_row_belongs_to_it(tmp_path: Path) -> None:
    recording = read(written(tmp_path, "Free memory : 19.6\n" + "".join(CHAT.format(step) for step in range(4))))

    assert points(recording, "average reward score") == [(step, -0.679) for step in range(4)]
    assert points(recording, "E2E latency") == [(step, 7.99) for step in range(4)]
    assert "MemAllocated" not in recording.tags
    (note,) = recording.notes
    assert note.startswith(
        "Read by the pattern of its lines: 4 lines with epoch: # step: # are steps, with ppo_ep, act"
    )
    assert note.endswith(" and 1 more; 9 other lines were not understood")


def test_steps_that_begin_anew_with_each_epoch_go_on(tmp_path: Path) -> None:
    rows = [(epoch, step) for epoch in (1, 2, 3) for step in (10, 20, 30)]
    named = "".join(f"Epoch:[{epoch}/3]({step}/30), loss: 0.5\n" for epoch, step in rows)
    unnamed = "".join(f"epoch: {epoch}|step: {step // 10 - 1}|loss: 0.5\n" for epoch, step in rows)

    recording = read(written(tmp_path, named))
    assert recording.tags["loss"].steps.tolist() == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert recording.status.total == 90
    assert read(written(tmp_path, unnamed)).tags["loss"].steps.tolist() == list(range(9))


def test_steps_that_go_on_through_the_epochs_stay(tmp_path: Path) -> None:
    rows = "".join(f"Epoch {1 + step // 3}/3, step {step}/9, loss: 0.5\n" for step in range(1, 10))

    recording = read(written(tmp_path, rows))
    assert recording.tags["loss"].steps.tolist() == list(range(1, 10))
    assert recording.status.total == 9


def test_steps_that_go_back_are_noted(tmp_path: Path) -> None:
    once = "".join(f"step {step} loss: 0.5\n" for step in range(1, 12))

    assert any("The steps go back at row 12:" in note for note in read(written(tmp_path, once * 2)).notes)


def test_an_evaluation_between_the_rows_is_at_its_step(tmp_path: Path) -> None:
    rows = "".join(f"Step {step}/4 | loss=0.5\n" for step in range(1, 5))
    recording = read(written(tmp_path, rows + "Step 4/4 | eval_reward=0.75\n"))

    assert points(recording, "eval_reward") == [(4, 0.75)]
    assert recording.malformed == 0


@pytest.mark.parametrize(
    ("rate", "rounded_to"),
    [("0.00000000", 5e-9), ("0.0", 0.0), ("1e-6", 0.0), ("0.0000|loss=0.12345678", 5e-5), ("1.00%", 0.0)],
)
def test_a_learning_rate_of_nothing_but_decimals_may_be_rounded(rate: str, rounded_to: float, tmp_path: Path) -> None:
    rows = "".join(f"Step {step} | reward={step} | lr={rate}\n" for step in range(1, 30))

    assert read(written(tmp_path, rows)).rounded_to == pytest.approx(rounded_to)


@pytest.mark.parametrize(
    ("end", "state"), [("", "finished"), ("Traceback (most recent call last):\nValueError: no\n", "failed")]
)
def test_how_a_text_ends_is_how_the_training_did(end: str, state: str, tmp_path: Path) -> None:
    rows = "".join(f"Step {step}/4 | loss=0.5\n" for step in range(1, 5))
    status = read(left_for(written(tmp_path, rows + end), 1000)).status

    assert (status.state, status.step, status.total) == (state, 4, 4)
    assert status.error == ("ValueError: no" if end else None)


def test_bars_of_other_loops_are_no_rows(tmp_path: Path) -> None:
    bars = "".join(f"\rGenerating split: {part}%|##| {part}/100 [00:00<00:00, 500 examples/s]" for part in (0, 50, 100))
    rows = "".join(f"[run]  {step}/50 | loss=0.5 | reward=1\n" for step in range(1, 5))
    recording = read(written(tmp_path, f"{bars}\n{rows}"))

    assert sorted(recording.tags) == ["loss", "reward"]
    assert recording.tags["loss"].steps.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "text",
    [
        "step 1: loss: 0.5\nstep 2: loss: 0.25\n",
        "step 7: loss: 0.5\n" * 9,
        "".join(f"step {step}: loss: 0.5\n" for step in (9, 8, 7, 6, 5, 4)),
        "".join(f"step {step}: temperature: {step}.5, pressure=3\n" for step in range(9)),
        "".join(f"Step {step}: minimise the loss of step {step}: at once\n" for step in range(9)),
        "".join(f"step {step} {name}: 0.5\n" for step, name in enumerate(("loss", "reward", "score", "kl", "lr"))),
        "the loss\n" * 9,
        "",
    ],
)
def test_other_texts_hold_no_training(text: str, tmp_path: Path) -> None:
    written(tmp_path, text)
    assert find_runs(tmp_path) == []


def test_a_text_that_another_format_reads_is_left_to_it(tmp_path: Path) -> None:
    rows = "".join(f"step {step} loss: 0.25\n" for step in range(9))
    written(tmp_path, rows + "{'loss': 0.5, 'epoch': 0.1}\n", "trl.log")
    written(tmp_path, "".join(f"Step {step} | loss:0.5 \n" for step in range(9)), "log_1700000000.txt")
    written(tmp_path, rows, "own.log")

    assert {ref.path.name: ref.format for ref in find_runs(tmp_path)} == {
        "trl.log": "console",
        "log_1700000000.txt": "torchtune",
        "own.log": "progress",
    }


def test_a_log_of_deepspeed_chat_is_known_as_ppo(tmp_path: Path) -> None:
    run = open_run(written(tmp_path, "".join(CHAT.format(step) for step in range(4))))

    assert (run.producer, run.algorithm) == ("deepspeed-chat", "ppo")
    assert [run.series[name].tag for name in ("score", "policy_loss", "value_loss")] == [
        *("average reward score", "act_loss", "cri_loss"),
    ]


@pytest.mark.parametrize("text", ["x", "x ", "x:", "x=", "1/1 ", "step ", "[", "x=1|", "é" * 99 + " "])
def test_a_long_line_takes_no_time(text: str) -> None:
    with cpu_seconds_below(5.0):
        for line in (f"step: 3 - {text * 50_000}", text * 50_000):
            parse_line(line)
            numbers_of_pure_line(line)


def test_numbers_in_the_lines_below_a_heading_are_those_of_its_step(tmp_path: Path) -> None:
    rows = (f"=== Step {step}/9 ===\n  Loss: 0.5\n  Mean reward: {step / 10}\nand some words\n" for step in range(9))
    recording = read(written(tmp_path, "".join(rows)))

    assert points(recording, "Mean reward") == [(step, step / 10) for step in range(9)]
    assert points(recording, "Loss") == [(step, 0.5) for step in range(9)]
    assert recording.notes[0].endswith("Step #/# are steps, with Loss, Mean reward; 9 other lines were not understood")


def test_steps_in_the_text_of_a_model_are_no_headings(tmp_path: Path) -> None:
    rows = (f"iter {step} loss=0.5\nStep 1: Subtract.\n**Step 2:** Add.\nreward: {step / 10}\n" for step in range(9))
    recording = read(written(tmp_path, "".join(rows)))

    assert points(recording, "reward") == [(step, step / 10) for step in range(9)]


RULER = "-" * 33


def block(step: int, axis: str) -> str:
    """As Stable-Baselines3 prints what it logged."""
    cells = [("rollout/", ""), ("   reward_mean", step / 10), ("train/", ""), ("   loss", 0.5), (axis, step)]
    return "".join(f"| {name:18} | {value!s:8} |\n" for name, value in cells)


@pytest.mark.parametrize(("axis", "first"), [("iterations", 3), ("n_updates", 3), ("fps", 1)])
def test_a_block_of_names_and_numbers_is_a_row(tmp_path: Path, axis: str, first: int) -> None:
    rows = (f"{RULER}\n{block(step, axis)}{RULER}\n" for step in range(3, 15))
    recording = read(written(tmp_path, "".join(rows)))

    assert points(recording, "reward_mean") == [(first + row, (3 + row) / 10) for row in range(12)]
    assert ("fps" in recording.tags, len(points(recording, "loss"))) == (axis == "fps", 12)


def test_an_object_in_several_lines_is_a_row(tmp_path: Path) -> None:
    rows = (json.dumps({"step": step, "reward": step / 10}, indent=2) + "\nsome words\n" for step in range(5))
    recording = read(written(tmp_path, "".join(rows)))

    assert points(recording, "reward") == [(step, step / 10) for step in range(5)]


def test_what_follows_a_brace_that_nothing_closes_is_not_lost(tmp_path: Path) -> None:
    rows = "".join(f"step {step}: reward=0.5\n" for step in range(300))
    recording = read(written(tmp_path, "{\n" + rows))

    assert len(points(recording, "reward")) == 300


def test_a_bar_that_never_ended_its_line_is_read_up_to_its_last_return(tmp_path: Path) -> None:
    bars = [f"rl: {step}0%|▌  | {step}/9 [00:10<01:20, 1.1it/s, reward=0.{step}]" for step in range(1, 9)]
    file = written(tmp_path, "\r".join(bars[:4]))
    log = progress.Reader(file)

    assert points(log.refresh(), "reward") == [(step, step / 10) for step in range(1, 4)]
    with file.open("a", encoding="utf-8") as more:
        more.write("\r" + "\r".join(bars[4:]) + "\n")
    assert points(log.refresh(), "reward") == [(step, step / 10) for step in range(1, 9)]


@pytest.mark.parametrize("name", ["train_log", "slurm-7.err", "log.txt.1", "RESULTS.md"])
def test_a_text_that_is_named_is_read_whatever_its_name(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, "".join(f"step {step}: reward={step / 10}\n" for step in range(9)), name)

    assert find_runs(tmp_path) == []
    assert open_run(file).series["reward"].values.tolist() == [step / 10 for step in range(9)]


@pytest.mark.parametrize("between", ["   ", " | ", "\t", " "])
def test_rows_below_the_names_of_columns_are_steps(tmp_path: Path, between: str) -> None:
    rows = [("step", "reward", "kl"), *((str(step), f"{step / 10}", "-") for step in range(1, 6))]
    recording = read(written(tmp_path, "".join(f"{between.join(row)}\n" for row in rows)))

    assert points(recording, "reward") == [(step, step / 10) for step in range(1, 6)]
    assert "kl" not in recording.tags


def test_lines_of_numbers_that_name_no_step_are_counted_where_there_are_enough(tmp_path: Path) -> None:
    rows = [f"reward: {row / 20}, loss: 0.5\n" for row in range(20)]

    assert find_runs(written(tmp_path, "".join(rows[:9]), "few.log")) == []
    recording = read(written(tmp_path, "".join(rows)))

    assert points(recording, "reward") == [(row + 1, row / 20) for row in range(20)]
    assert "name no step and are counted" in recording.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "step 1 of the recipe\nstep 2 of the recipe\nstep 3 of the recipe\nthe reward: a cake\n" * 5,
        "name   score   age\nAda   3   36\nBob   4   41\n" * 9,
        "".join(f"width: {row}, height: {row}\n" for row in range(30)),
        "== Step 1 ==\nopen the box\n== Step 2 ==\nread the loss\n== Step 3 ==\nclose it\n",
    ],
)
def test_other_texts_with_steps_and_numbers_are_no_training(tmp_path: Path, text: str) -> None:
    assert find_runs(written(tmp_path, text)) == []


def test_what_stands_above_each_row_belongs_to_the_row_below_it(tmp_path: Path) -> None:
    text = "Loading\n" + "".join(
        f"Average Reward: 0.{step}\nIteration 1/1, Step {step}/9, loss: 0.5\n" for step in range(1, 9)
    )
    recording = read(written(tmp_path, text))

    assert points(recording, "Average Reward") == [(step, step / 10) for step in range(1, 9)]
    assert recording.status.step == 8
    (note,) = recording.notes
    assert note.endswith("with loss, Average Reward; 1 other lines were not understood")


def test_numbers_above_the_first_row_alone_are_none_of_its(tmp_path: Path) -> None:
    rows = "".join(f"Step {step}: loss 0.5\nreward: 0.{step}\n" for step in range(1, 9))
    recording = read(written(tmp_path, f"reward: 0.9\nThe training starts.\n{rows}"))

    assert points(recording, "reward") == [(step, step / 10) for step in range(1, 9)]


def test_what_pythons_logging_prints_before_a_row_is_no_part_of_it(tmp_path: Path) -> None:
    rows = "".join(
        f"2026-01-01 08:59:{step:02},896 - train - INFO - rollout batch {step} generated, length: 256\n"
        f"2026-01-01 09:01:00,984 - train - INFO - rl_loss: 0.5, reward_data: {{'total_num': 256, 'total_reward': "
        f"{step}.0}}, metadata: {{'clamped': tensor(0.2, device='cuda:0')}}\n"
        for step in range(9)
    )
    recording = read(written(tmp_path, rows))

    assert points(recording, "total_reward") == [(step, step) for step in range(9)]
    assert points(recording, "clamped") == [(step, 0.2) for step in range(9)]


def test_printed_tensors_of_rewards_are_a_row(tmp_path: Path) -> None:
    rows = "".join(
        f"time: 7.{step}s     rewards: tensor([{step}., 0., 1.], device='cuda:0')\n" for step in range(10, 25)
    )
    recording = read(written(tmp_path, rows))

    assert points(recording, "rewards") == [
        (step - 9, pytest.approx((step + 1) / 3, rel=1e-4)) for step in range(10, 25)
    ]
    assert len(points(recording, "reward_std")) == 15


WARNING = (
    "/trl/trainer/ppo_trainer.py:1304: UserWarning: KL divergence is starting to become negative: -{}.5 - this might"
)


def test_the_kl_that_trl_warns_of_is_read(tmp_path: Path) -> None:
    rows = "".join(f"step {step}/99 mean_reward=0.5\n{WARNING.format(step)}\n  warnings.warn(\n" for step in range(20))
    recording = read(written(tmp_path, rows))
    assert points(recording, "objective/kl") == [(step, -step - 0.5) for step in range(20)]

    alone = tmp_path / "alone"
    alone.mkdir()
    recording = read(written(alone, "".join(f"{WARNING.format(step)}\n" for step in range(20))))
    assert points(recording, "objective/kl") == [(step + 1, -step - 0.5) for step in range(20)]


def test_rows_of_rewards_are_read_before_more_rows_of_a_loss(tmp_path: Path) -> None:
    supervised = "".join(f"Epoch 1 Batch {step}/60 loss: 0.5\n" for step in range(60))
    rows = "".join(f"[PPO] step {step}/20 mean_reward=0.5 kl=0.1\n" for step in range(20))
    recording = read(written(tmp_path, supervised + rows))

    assert points(recording, "mean_reward") == [(step, 0.5) for step in range(20)]
