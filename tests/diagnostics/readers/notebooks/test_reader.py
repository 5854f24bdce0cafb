"""Tests of notebooks beyond what every reader must do: what a cell shows, and which trainings a notebook holds."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import find_runs, open_run
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.notebooks import reader as notebooks
from diagnostics.readers.notebooks.tables import NotebookTables
from diagnostics.readers.tensorboard import reader as tensorboard
from tests.diagnostics.readers.consoles import FIXTURES, VERL, points
from tests.diagnostics.readers.writers.whole_files import notebook, training_table
from tests.pace import cpu_seconds_below

PROGRESS = "<progress value='{}' max='{}' style='width:300px; height:20px;'></progress>"
ROWS = "{'loss': '0.5', 'reward': '0.25', 'epoch': '0.1'}\n{'loss': '0.25', 'reward': '0.5', 'epoch': '0.2'}\n"
FRAME = "   Step  Training Loss  reward\n0     1            0.5    0.25\n1     2            NaN    0.50\n"


def shown(html: str) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {"text/html": [html], "text/plain": "<IPython.core.display.HTML>"}}


def said(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def raised(name: str, value: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": []}


def table(losses: Iterable[float], progress: str = "") -> dict[str, Any]:
    rows = ([str(step), f"{loss:.6f}", f"{loss / 2:.6f}"] for step, loss in enumerate(losses, 1))
    return shown(training_table(["Step", "Training Loss", "rewards / exact"], rows, progress))


def written(folder: Path, *cells: list[dict[str, Any]], name: str = "train.ipynb") -> Path:
    file = folder / name
    file.write_text(json.dumps(notebook(cells)))
    return file


def read(path: Path) -> Any:
    return notebooks.Reader(path).refresh()


def test_what_transformers_draws_in_a_notebook_is_what_was_logged_to_six_decimals() -> None:
    (folder,) = (FIXTURES / "trl" / "grpo116" / "out" / "runs").iterdir()
    logged = tensorboard.Reader(folder).refresh().tags
    drawn = read(FIXTURES / "notebooks" / "grpo.ipynb" / "cell-3")

    assert (len(drawn.tags), drawn.malformed, drawn.status.state) == (25, 0, "finished")
    for tag, series in drawn.tags.items():
        truth = logged["train/" + {"Training Loss": "loss"}.get(tag, tag.replace(" / ", "/"))]
        assert series.steps.tolist() == truth.steps.tolist(), tag
        np.testing.assert_allclose(series.values, truth.values, rtol=0, atol=5.1e-7)


def test_a_notebook_that_trained_twice_and_showed_the_first_again_holds_two_runs() -> None:
    file = FIXTURES / "notebooks" / "grpo.ipynb"
    first, second = map(open_run, find_runs(file))

    assert [ref.path for ref in find_runs(file)] == [file / "cell-3", file / "cell-5"]
    assert (first.algorithm, first.status.state, first.status.step) == ("grpo", "finished", 6)
    assert "Numbers of this training are shown again in cell 4" in first.notes
    assert (second.algorithm, second.status.state) == ("grpo", "failed")
    assert second.status.error == "RuntimeError: no prompts are left"


def test_a_table_is_read_with_the_state_of_its_progress_bar(tmp_path: Path) -> None:
    recording = read(written(tmp_path, [table([0.5, 0.25], PROGRESS.format(2, 2))]))

    assert points(recording, "Training Loss") == [(1, 0.5), (2, 0.25)]
    assert points(recording, "rewards / exact") == [(1, 0.25), (2, 0.125)]
    assert (recording.status.state, recording.status.step, recording.status.total) == ("finished", 2, 2)
    assert (recording.malformed, recording.rounded_to) == (0, 5e-7)


@pytest.mark.parametrize(("error", "state"), [("ValueError", "failed"), ("KeyboardInterrupt", "stopped")])
def test_an_error_ended_the_training_of_its_cell(error: str, state: str, tmp_path: Path) -> None:
    status = read(written(tmp_path, [table([0.5], PROGRESS.format(1, 9)), raised(error, "no\x1b[0m more")])).status

    assert (status.state, status.total) == (state, 9)
    assert status.error == (f"{error}: no more" if state == "failed" else None)


def test_rows_above_a_new_column_are_shorter(tmp_path: Path) -> None:
    html = training_table(["Step", "loss", "kl"], [["1", "0.5"], ["2", "0.25", "No Log"], ["3", "0.125", "nan"]])
    recording = read(written(tmp_path, [shown(html)]))

    assert points(recording, "loss") == [(1, 0.5), (2, 0.25), (3, 0.125)]
    assert [step for step, value in points(recording, "kl") if math.isnan(value)] == [3]
    assert (len(points(recording, "kl")), recording.malformed) == (1, 0)


def test_a_frame_of_pandas_counts_as_html_or_as_text(tmp_path: Path) -> None:
    html = '<table class="dataframe"><thead><tr><th></th><th>step</th><th>loss</th></tr></thead><tbody>'
    html += "<tr><th>0</th><td>5</td><td>0.5</td></tr><tr><th>1</th><td>10</td><td>0.25</td></tr></tbody></table>"

    assert points(read(written(tmp_path, [shown(html)])), "loss") == [(5, 0.5), (10, 0.25)]
    as_text = read(written(tmp_path, [said("the log:\n" + FRAME + "2 rows\n")]))
    assert points(as_text, "reward") == [(1, 0.25), (2, 0.5)]
    assert [math.isnan(value) for _, value in points(as_text, "Training Loss")] == [False, True]


def test_a_table_between_bars_is_read(tmp_path: Path) -> None:
    text = "| Step | reward |\n|------|--------|\n| 10   | 0.5    |\n| 20   | 0.75   |\n"

    assert points(read(written(tmp_path, [said(text)])), "reward") == [(10, 0.5), (20, 0.75)]


def test_of_a_frame_that_leaves_rows_out_the_rest_is_read_and_said_so(tmp_path: Path) -> None:
    text = "    step  loss\n0      1   0.5\n..   ...   ...\n99   100   0.1\n"
    recording = read(written(tmp_path, [{"output_type": "execute_result", "data": {"text/plain": text}}]))

    assert points(recording, "loss") == [(1, 0.5), (100, 0.1)]
    assert "only a part of the table" in " ".join(recording.notes)


def test_printed_rows_of_dictionaries_are_read_as_on_a_console(tmp_path: Path) -> None:
    recording = read(written(tmp_path, [said("Unrelated\n" + ROWS)]))

    assert points(recording, "reward") == [(1, 0.25), (2, 0.5)]
    assert "counted" in " ".join(recording.notes)


def test_a_traceback_that_a_command_printed_ended_its_training(tmp_path: Path) -> None:
    status = read(written(tmp_path, [said(ROWS + "Traceback (most recent call last):\nMemoryError: no room\n")])).status

    assert (status.state, status.error) == ("failed", "MemoryError: no room")


def test_two_trainings_that_one_cell_printed_are_two_runs(tmp_path: Path) -> None:
    file = written(tmp_path, [said(ROWS + "{'train_runtime': '3', 'epoch': '0.2'}\n" + ROWS.replace("0.5", "0.75"))])

    assert [ref.path for ref in find_runs(tmp_path)] == [file / "cell-1", file / "cell-1-2"]
    assert [read(file / name).status.state for name in ("cell-1", "cell-1-2")] == ["finished", "unknown"]


def test_verls_rows_and_settings_are_read_as_on_a_console(tmp_path: Path) -> None:
    run = open_run(written(tmp_path, [said(VERL)]))

    assert (run.producer, run.algorithm, run.status.step) == ("verl", "grpo", 2)
    assert run.series["reward"].values.tolist() == [0.25, 0.5]


def test_what_a_trainer_of_ones_own_printed_is_read_by_its_pattern(tmp_path: Path) -> None:
    rows = "".join(f"Step  {step}/40 | loss=0.5 | avg_reward=0.25\n" for step in (10, 20, 30, 40))
    recording = read(written(tmp_path, [said("GRPO\n" + rows)]))

    assert points(recording, "avg_reward") == [(10, 0.25), (20, 0.25), (30, 0.25), (40, 0.25)]
    assert (recording.status.state, recording.status.total) == ("finished", 40)
    assert "4 lines with Step #/# are steps" in recording.notes[0]


def test_settings_that_no_output_states_are_those_of_the_code(tmp_path: Path) -> None:
    file = written(tmp_path, [said("ready\n")], [table([0.5, 0.25])], [said(ROWS)])
    document = json.loads(file.read_text())
    document["cells"][0]["source"] = ["limit = 200\n", "args = GRPOConfig(max_completion_length=limit, seed=seed)\n"]
    document["cells"][2]["source"] = "args = SFTConfig(seed=3)"
    file.write_text(json.dumps(document))
    drawn, printed = (open_run(ref.path) for ref in find_runs(tmp_path))

    assert drawn.config == {"max_completion_length": 200}
    assert "The settings are those that the notebook's code gives to its trainer" in drawn.notes
    assert printed.config == {}


def test_what_a_cell_printed_counts_where_its_table_holds_no_reward(tmp_path: Path) -> None:
    drawn = shown(training_table(["Step", "Training Loss"], ([str(step), "0.000167"] for step in range(1, 9)), ""))
    rows = "".join(f"[Step {step}] loss=0.0002 reward=0.25 kl=0.5\n" for step in range(1, 9))
    recording = read(written(tmp_path, [drawn, said(rows)]))

    assert points(recording, "reward") == [(step, 0.25) for step in range(1, 9)]
    without = read(written(tmp_path, [drawn, said("[Step 1] loss=0.0002\n" * 9)], name="loss.ipynb"))
    assert set(without.tags) == {"Training Loss"}


def test_each_cell_that_trained_is_a_run(tmp_path: Path) -> None:
    file = written(
        tmp_path, [table([2.0, 1.0])], [said("done\n")], [table([0.5, 0.4]), table([0.3, 0.2])], [said(ROWS)]
    )

    assert [ref.path for ref in find_runs(tmp_path)] == [
        file / name for name in ("cell-1", "cell-3", "cell-3-2", "cell-4")
    ]
    assert points(read(file / "cell-3-2"), "Training Loss") == [(1, 0.3), (2, 0.2)]
    with pytest.raises(UnreadableRun, match=r"open one of those in the notebook: .*cell-1, .*cell-3"):
        read(file)
    with pytest.raises(UnreadableRun, match="cell-9 shows no training"):
        read(file / "cell-9")


def test_a_frame_of_the_same_numbers_is_no_other_training(tmp_path: Path) -> None:
    rows = [[str(step), f"{1 / step:.4f}"] for step in (1, 2, 3)]
    again = shown(training_table(["step", "Training Loss"], rows))
    file = written(tmp_path, [table([1.0, 1 / 2, 1 / 3, 1 / 4])], [again])

    (ref,) = find_runs(tmp_path)
    assert (ref.path, len(points(read(file), "Training Loss"))) == (file, 4)
    assert "Numbers of this training are shown again in cell 2" in read(file).notes


def test_two_trainings_that_begin_alike_are_two(tmp_path: Path) -> None:
    written(tmp_path, [table([0.0, 0.0, 0.5])], [table([0.0, 0.0, 0.25])])
    assert len(find_runs(tmp_path)) == 2

    written(tmp_path, [table([0.0, 0.0])], [table([0.0, 0.0])])
    assert len(find_runs(tmp_path)) == 2


@pytest.mark.parametrize(
    "outputs",
    [
        [shown("<table><tr><th>name</th><th>score</th></tr><tr><td>a</td><td>1</td></tr></table>")],
        [shown("<table><tr><th>Step</th><th>What to do</th></tr><tr><td>1</td><td>Open it</td></tr></table>")],
        [
            shown(
                "<table><tr><td>train/global_step</td><td>▁▂▃</td></tr><tr><td>train/loss</td><td>▃▂▁</td></tr></table>"
            )
        ],
        [said("Step 1 of 2: install  it\nSteps  are  three\n1  2  3\n")],
        [],
    ],
)
def test_other_outputs_are_no_training(outputs: list[dict[str, Any]], tmp_path: Path) -> None:
    file = written(tmp_path, outputs)

    assert find_runs(tmp_path) == []
    with pytest.raises(UnreadableRun, match=r"shows no training$"):
        read(file)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"cells": 3}', '{"cells": [1, {"outputs": [2, {"data": 3}, {"text": 4}]}]}', "{"]
)
def test_what_is_no_notebook_is_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(content)
    assert find_runs(tmp_path) == []


def test_a_run_goes_on_when_another_cell_trains(tmp_path: Path) -> None:
    reader = notebooks.Reader(written(tmp_path, [table([1.0])]))
    reader.refresh()
    written(tmp_path, [table([1.0, 0.5])], [table([9.0])])

    assert points(reader.refresh(), "Training Loss") == [(1, 1.0), (2, 0.5)]


@pytest.mark.parametrize(
    "piece", ["<!--", "<a ", "<tr", "<![CDATA[", "<td>", "</", "<a b='", "&#", "<table>", "<script>", "<a b=c "]
)
def test_hostile_html_takes_no_time(piece: str) -> None:
    with cpu_seconds_below(3.0):
        NotebookTables().of("<table>" + piece * 50_000, "")


def test_all_tables_of_a_notebook_have_a_bound_of_cells_together() -> None:
    tables, html = NotebookTables(most_cells=9), training_table(["Step", "loss"], [["1", "0.5"], ["2", "0.25"]])

    (first,), (second,), third = (tables.of(html, "") for _ in range(3))

    assert (len(first.rows), first.cut) == (2, "")
    assert second.cut.startswith("The first ")
    assert third == []
