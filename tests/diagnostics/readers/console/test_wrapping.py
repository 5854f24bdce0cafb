"""Tests of rows that a terminal broke at its width."""

from pathlib import Path

import pytest

from diagnostics.readers.console.count import count_of_trainings
from diagnostics.readers.console.recognition import is_console
from diagnostics.readers.console.wrapping import NARROWEST, Unwrapping
from tests.diagnostics.readers.consoles import PRINTED, left_for, read, written


def wrapped(text: str, width: int) -> str:
    """The text as a terminal of this width stores it, which leaves out a blank at the end of a line."""
    pieces = (line[at : at + width] for line in text.split("\n") for at in range(0, max(1, len(line)), width))
    return "\n".join(piece[:-1] if piece.endswith(" ") else piece for piece in pieces)


def unwrapped(*lines: str) -> list[str]:
    unwrapping = Unwrapping()
    return [whole for line in lines for whole in unwrapping.feed(line)] + list(unwrapping.rest())


@pytest.mark.parametrize("width", [NARROWEST, 80, 132, 180, 181])
@pytest.mark.parametrize("log", ["grpo116.log", "ppo112.log"])
def test_a_wrapped_log_holds_what_the_whole_one_holds(log: str, width: int, tmp_path: Path) -> None:
    rows = [line for line in (PRINTED / log).read_text("utf-8").splitlines() if "'epoch': " in line]
    text = "".join(f"{row[row.index('{') :]}\n" for row in rows)
    whole = read(written(tmp_path, text, "whole.log"))
    broken = written(tmp_path, wrapped(text, width), "broken.log")
    assert (is_console(broken), count_of_trainings(broken)) == (True, 1)
    found = read(broken)
    assert found.tags.keys() == whole.tags.keys()
    for tag, series in whole.tags.items():
        assert found.tags[tag].values.tolist() == series.values.tolist(), tag
    assert found.malformed == 0


def test_a_growing_log_is_recognised_by_its_first_wrapped_row(tmp_path: Path) -> None:
    row = "{'loss': 0.25, " + ", ".join(f"'metric_{n}/mean': {n}.5" for n in range(18)) + ", 'epoch': 0.1}\n"
    assert is_console(written(tmp_path, wrapped(row, 80)))
    other = "{'loss': 0.25,\n" + row[15:]
    assert not is_console(written(tmp_path, other, "spread.log"))


def test_a_last_line_that_may_go_on_still_says_why_a_training_ended(tmp_path: Path) -> None:
    row = "{'loss': 0.25, 'reward': 0.5, 'epoch': 0.1}\n" * 3
    error = "ValueError: the columns of the dataset are none of those that were asked for: {'prompt': 'missing'\n"
    file = left_for(written(tmp_path, row + "Traceback (most recent call last):\n" + error), 3600)
    assert read(file).status.error == error.strip()


@pytest.mark.parametrize(
    "lines",
    [
        ("{'actor_rollout_ref': {'actor': {'checkpoint': {'contents': ['model',", " 'optimizer'],", " 'epoch': 1}}}"),
        ("{'words': '" + "x" * 80, "y" * 90, "z" * 91, "z" * 92),
        ("{'words': '" + "x" * 80, "{'loss': 0.1, 'epoch': 0.2}"),
        ("{'words': '" + "x" * 80, "and no number}"),
        ("{'a': 1, 'epoch': 0.5}", "", "{'short': 1,", "'epoch': 3}"),
        ("{'words': '" + "x" * 80,),
    ],
)
def test_what_is_no_wrapped_row_comes_back_line_by_line(lines: tuple[str, ...]) -> None:
    assert unwrapped(*lines) == list(lines)
