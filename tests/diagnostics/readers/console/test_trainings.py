"""Tests of texts with several trainings, one after the other: each is a run of its own."""

from pathlib import Path

import pytest

from diagnostics.api import LiveRun, UnreadableRun, find_runs, open_run
from diagnostics.readers.console.clock import TextClock
from diagnostics.readers.console.count import count_of_trainings
from diagnostics.readers.liveness import CRASH_SECONDS
from tests.diagnostics.readers.consoles import PRINTED, RAY, SETTINGS, left_for, written

EVAL, STDOUT, PPO = ((PRINTED / f"{name}.log").read_bytes().decode() for name in ("grpo-eval", "grpo-stdout", "ppo112"))
BAR = "  0%|          | {step}/60 [00:00<?, ?it/s]\n"


def rows(*epochs: float) -> str:
    return "".join(f"{{'loss': {epoch / 8}, 'epoch': {epoch}}}\n" for epoch in epochs)


def steps_of_each(folder: Path, tag: str = "loss") -> list[list[int]]:
    runs = map(open_run, find_runs(folder))
    return [next(item.steps.tolist() for item in run.series.values() if item.tag == tag) for run in runs]


def test_trainings_printed_one_after_the_other_are_a_run_each(tmp_path: Path) -> None:
    file = written(tmp_path, EVAL + EVAL.replace("/24 [", "/48 ["))

    first, second = map(open_run, find_runs(tmp_path))

    assert [first.path, second.path] == [file / "1", file / "2"]
    assert [first.name.rpartition("/")[2], second.name.rpartition("/")[2]] == ["train 1", "train 2"]
    assert first.get("reward").steps.tolist() == [4, 8, 12, 16, 20, 24] == second.get("reward").steps.tolist()
    assert [(run.status.state, run.status.step, run.status.total) for run in (first, second)] == [
        ("finished", 24, 24),
        ("finished", 24, 48),
    ]
    assert (first.console, first.notes) == (file, open_run(PRINTED / "grpo-eval.log").notes)


def test_a_text_of_several_trainings_asks_which_one(tmp_path: Path) -> None:
    file = written(tmp_path, STDOUT * 3)

    with pytest.raises(UnreadableRun, match="holds 3 runs, open one of them"):
        open_run(file)
    assert open_run(file / "3").get("reward").steps.tolist() == [5, 10, 15, 20]
    with pytest.raises(UnreadableRun, match="does not exist"):
        open_run(file / "4")


def test_a_training_whose_first_row_has_no_line_end_is_listed_with_the_one_before(tmp_path: Path) -> None:
    file = left_for(written(tmp_path, (rows(0.1, 0.2) + rows(0.1)).rstrip()), CRASH_SECONDS + 1)

    assert [ref.path for ref in find_runs(tmp_path)] == [file / "1", file / "2"]
    assert steps_of_each(tmp_path) == [[1, 2], [1]]


def test_updates_of_ppo_that_begin_again_are_another_training(tmp_path: Path) -> None:
    written(tmp_path, PPO * 2)

    assert steps_of_each(tmp_path, "val/ratio") == [[*range(1, 9)]] * 2


def test_a_training_that_was_killed_and_began_again_is_two(tmp_path: Path) -> None:
    written(tmp_path, rows(0.1, 0.2, 0.3) + rows(0.1, 0.2, 0.3, 0.4))

    assert steps_of_each(tmp_path) == [[1, 2, 3], [1, 2, 3, 4]]
    assert [open_run(ref).status.state for ref in find_runs(tmp_path)] == ["died", "running"]


def test_a_training_that_failed_and_began_again_is_two_of_which_one_failed(tmp_path: Path) -> None:
    failure = "Traceback (most recent call last):\nRuntimeError: CUDA out of memory\n"
    written(tmp_path, rows(0.1, 0.2) + failure + rows(0.1, 0.2, 0.3))

    first, second = map(open_run, find_runs(tmp_path))

    assert (first.status.state, first.status.error) == ("failed", "RuntimeError: CUDA out of memory")
    assert (second.status.state, second.status.error) == ("running", None)


def test_a_training_that_resumed_from_a_checkpoint_is_one(tmp_path: Path) -> None:
    written(tmp_path, rows(0.1, 0.2, 0.3) + rows(0.2, 0.3, 0.4))

    assert len(find_runs(tmp_path)) == 1


@pytest.mark.parametrize(("restart", "runs"), [(0, 2), (40, 1)])
def test_steps_that_begin_again_are_another_training(restart: int, runs: int, tmp_path: Path) -> None:
    lines = [f"{RAY}step:{step} - critic/score/mean:{step / 8}\n" for step in (*range(60), *range(restart, 80))]
    written(tmp_path, "".join(lines))

    assert len(find_runs(tmp_path)) == runs


def test_a_validation_before_the_first_step_is_of_the_same_training(tmp_path: Path) -> None:
    written(tmp_path, f"{RAY}step:0 - val/score:0.5\n{RAY}step:0 - actor/lr:0.5\n{RAY}step:1 - actor/lr:0.5\n")

    assert len(find_runs(tmp_path)) == 1


def test_a_bar_that_starts_anew_is_of_another_training(tmp_path: Path) -> None:
    one = BAR.format(step=0) + rows(0.0, 0.0) + BAR.format(step=12)
    written(tmp_path, one + one)

    assert [len(steps) for steps in steps_of_each(tmp_path)] == [2, 2]


def test_the_bar_of_an_evaluation_starts_no_training(tmp_path: Path) -> None:
    evaluation = BAR.format(step=0) + "{'eval_loss': 0.5, 'epoch': 0.0}\n"
    written(tmp_path, BAR.format(step=0) + rows(0.0) + evaluation + rows(0.0) + evaluation)

    assert len(find_runs(tmp_path)) == 1


def test_each_training_has_the_settings_that_were_printed_before_it(tmp_path: Path) -> None:
    row = f"{RAY}step:1 - critic/score/mean:0.5\n"
    written(tmp_path, SETTINGS + row * 2 + SETTINGS.replace("'n': 4", "'n': 16") + row.replace(":1 ", ":0 ") + row)

    runs = [open_run(ref) for ref in find_runs(tmp_path)]

    assert [run.config["actor_rollout_ref"]["rollout"]["n"] for run in runs] == [4, 16]


def test_a_second_training_in_a_growing_text_is_told_and_found(tmp_path: Path) -> None:
    file = written(tmp_path, STDOUT)
    live = LiveRun(file)
    live.refresh()
    with file.open("a") as more:
        more.write(STDOUT)

    with pytest.raises(UnreadableRun, match=r"holds 2 trainings; open one of them: .*train\.log/1, "):
        live.refresh()
    assert [ref.path for ref in find_runs(tmp_path)] == [file / "1", file / "2"]


def test_trainings_are_counted_as_the_text_grows(tmp_path: Path) -> None:
    file, text = tmp_path / "train.log", EVAL + PPO + STDOUT + STDOUT
    counts = list[int]()
    for size in range(0, len(text), 1009):
        file.write_text(text[:size])
        counts.append(count_of_trainings(file))
    file.write_text(text)

    assert count_of_trainings(file) == 3
    assert counts == sorted(counts)
    file.write_text(STDOUT)
    assert count_of_trainings(file) == 1


def test_readers_that_share_a_text_see_it_grow(tmp_path: Path) -> None:
    file = written(tmp_path, rows(0.1, 0.2) + rows(0.1))
    first, second = LiveRun(file / "1"), LiveRun(file / "2")
    before = [len(live.refresh().series["loss"]) for live in (first, second)]
    with file.open("a") as more:
        more.write(rows(0.3, 0.5))
    after = [len(live.refresh().series["loss"]) for live in (first, second, LiveRun(file / "2"))]

    assert (before, after) == ([2, 1], [2, 3, 3])


def test_a_text_of_many_trainings_is_read_once_for_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, fed = written(tmp_path, rows(0.1, 0.2) * 30), list[str]()
    monkeypatch.setattr(TextClock, "feed", lambda clock, line: fed.append(line))

    lengths = [len(open_run(file / str(number)).series["loss"]) for number in range(1, 31)]

    assert lengths == [2] * 30
    assert len(fed) == 60


def test_readers_that_share_a_text_see_that_another_takes_its_place(tmp_path: Path) -> None:
    file = written(tmp_path, rows(0.1, 0.2) + rows(0.1))
    lives = [LiveRun(file / str(number)) for number in (1, 2)]
    before = [len(live.refresh().series["loss"]) for live in lives]
    file.unlink()
    written(tmp_path, rows(0.1, 0.2, 0.3) + rows(0.1, 0.2))
    after = [len(live.refresh().series["loss"]) for live in lives]

    assert (before, after) == ([2, 1], [3, 2])


def own_rows(*steps: int, form: str = "step {}/30  mean_reward={}  kl={}\n") -> str:
    return "".join(form.format(step, -step / 8, -step / 4) for step in steps)


def test_a_loop_of_somebodys_own_behind_a_trainers_training_is_another_one(tmp_path: Path) -> None:
    warned = "ppo_trainer.py:1304: UserWarning: KL divergence is starting to become negative: -9.50 - this might be"
    loop = "".join(f"{own_rows(step)}{warned}\n  warnings.warn(\n" for step in (0, 10, 20))
    file = written(tmp_path, f"{STDOUT}Starting PPO\n{loop}")

    first, second = map(open_run, find_runs(tmp_path))

    assert [first.path, second.path] == [file / "1", file / "2"]
    assert first.get("reward").steps.tolist() == [5, 10, 15, 20]
    assert (first.status.state, second.status.step, second.status.total) == ("finished", 20, 30)
    assert second.get("reward").values.tolist() == [0.0, -1.25, -2.5]
    assert {item.tag for item in second.series.values()} >= {"mean_reward", "objective/kl"}
    assert any("step #/#" in note for note in second.notes)


def test_such_a_loop_ends_as_what_it_printed_last_says(tmp_path: Path) -> None:
    error = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no more\n'
    file = left_for(written(tmp_path, STDOUT + own_rows(0, 10, 20) + error), CRASH_SECONDS + 1)

    first, second = (open_run(file / number) for number in "12")

    assert (first.status.state, first.status.error) == ("finished", None)
    assert (second.status.state, second.status.error) == ("failed", "ValueError: no more")


def test_a_trainers_training_behind_such_a_loop_is_a_third_one(tmp_path: Path) -> None:
    written(tmp_path, STDOUT + own_rows(0, 10, 20) + STDOUT + own_rows(0, 10, 20, 30))

    runs = [*map(open_run, find_runs(tmp_path))]

    assert [len(run.get("reward")) for run in runs] == [4, 3, 4, 4]
    assert [run.status.step for run in runs] == [24, 20, 24, 30]


@pytest.mark.parametrize(
    "text",
    [
        STDOUT + own_rows(0, 10),
        STDOUT + own_rows(0, 10, 20, form="step {}/30  reward={}  answers={}\n"),
        STDOUT + own_rows(0, 10, 20, form="step {}/30  accuracy={}  loss={}\n"),
        rows(0.1) + own_rows(0, 10) + rows(0.2) + own_rows(20, 30) + rows(0.3),
    ],
    ids=["two rows", "an evaluation by rewards", "an evaluation by losses", "beside the rows of a training"],
)
def test_other_rows_behind_a_training_or_beside_its_own_are_none(text: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)

    assert [ref.path for ref in find_runs(tmp_path)] == [file]


def test_a_loop_of_somebodys_own_is_counted_as_the_text_grows(tmp_path: Path) -> None:
    file, text = tmp_path / "train.log", STDOUT + own_rows(0, 10, 20, 30) + STDOUT
    counts = list[int]()
    for size in range(0, len(text), 31):
        file.write_text(text[:size])
        counts.append(count_of_trainings(file))

    assert counts == sorted(counts)
    assert count_of_trainings(written(tmp_path, text)) == 3
