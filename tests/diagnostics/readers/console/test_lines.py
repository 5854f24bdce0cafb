"""Tests of the rows and bars that trainers print, found among all else on a console."""

import math
from pathlib import Path
from typing import Any

import pytest

from diagnostics.readers.console.lines import Bar, Panel, Row, number_in, parse_line
from diagnostics.readers.discovery import find
from tests.diagnostics.readers.consoles import written


@pytest.mark.parametrize(
    "line",
    [
        "{'accuracy': 0.5, 'count': 3}",
        "saved to /checkpoints/global_step:9 - done:1",
        "timing/step:1 - loss:0.5",
        "Map: 100%|██████████| 7473/7473 [00:01<00:00, 6000 examples/s]",
        "Loading checkpoint shards:   0%|          | 0/4 [00:00<?, ?it/s]",
        "the 'epoch': 3",
        "",
    ],
)
def test_other_words_are_no_rows_and_make_no_run(line: str, tmp_path: Path) -> None:
    assert [item for item in parse_line(line) if not isinstance(item, Row) or item.values] == []
    written(tmp_path, f"{line}\n" * 3)
    assert find(tmp_path) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("\r 12%|█▎        | 3/24 [00:00<00:01, 11.86it/s]", [Bar(3, 24)]),
        ("0:   1%|          | 17/2264 [01:22<2:55:16,  4.68s/it]", [Bar(17, 2264)]),
        (" 16% 15/96 [22:02<1:36:54, 71.79s/it]Both `max_new_tokens` seem set", [Bar(15, 96)]),
        ("  0%|  | 1/9 [00:19<159:06:22, 19.2s/it]  0%|  | 2/9 [00:26<99:54:13, 12.0s/it]", [Bar(1, 9), Bar(2, 9)]),
        ("╭──────────── Step 12 ────────────╮", [Panel(12)]),
        ("  1%| | 1/9 [0:19<1:06, 1s/it]{'kl': 0.5, 'epoch': 0.1}", [Bar(1, 9), Row({"kl": 0.5, "epoch": 0.1})]),
        ("[rank0]: {'kl': 1e-05, 'epoch': 1} and more", [Row({"kl": 1e-05, "epoch": 1.0})]),
        ("""{"it's": 1, 'a': [1, 2], 'epoch': 1}""", [Row({"it's": 1.0, "epoch": 1.0})]),
    ],
)
def test_bars_and_rows_are_found_as_terminals_schedulers_and_notebooks_leave_them(line: str, found: list[Any]) -> None:
    items = list(parse_line(line))

    assert [Row(item.values) if isinstance(item, Row) else item for item in items] == found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        ("-1e-05", -1e-05),
        ("np.float64(0.25)", 0.25),
        ("np.int64(3)", 3.0),
        ("tensor(0.5)", 0.5),
        ("tensor(2., device='cuda:0')", 2.0),
        ("inf", math.inf),
        ("None", None),
        ("fast", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_numbers_are_read_as_python_numpy_and_torch_print_them(text: str, number: float | None) -> None:
    assert number_in(text) == number
