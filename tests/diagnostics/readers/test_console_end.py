"""Tests of the end of a console: what is kept of it, and of which runs."""

from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.readers.console_end import END_BYTES, console_end
from diagnostics.runlog import RunLog
from diagnostics.wording.messages import message_text
from tests.diagnostics.last_words import printed
from tests.diagnostics.readers.consoles import left_for, written

FRAMES = "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7fb4 in /lib/libc10.so)\n" * 300
ROW = "{'loss': 0.5, 'reward': 1.0, 'epoch': 0.1}\n"


@pytest.mark.parametrize("state", ["failed", "died", "running", "silent", "unknown"])
def test_of_a_run_that_is_not_well_the_last_lines_are_kept_without_native_frames(tmp_path: Path, state: str) -> None:
    file = tmp_path / "console.log"
    file.write_text(
        f"{printed.NCCL}\n{FRAMES}[rank1]: frame #1: <unknown function> + 0x5c0 (0x7f29 in /lib/libc)\nthe end\n"
    )
    assert console_end(file, state) == f"{printed.NCCL}\nthe end\n"


def test_only_the_end_of_a_long_console_is_read(tmp_path: Path) -> None:
    file = tmp_path / "console.log"
    file.write_text("the beginning\n" + "x" * END_BYTES + "\nthe end\n")
    assert len(console_end(file, "failed")) == END_BYTES


@pytest.mark.parametrize("state", ["finished", "stopped", "queued"])
def test_a_run_that_ended_as_planned_needs_no_last_words(tmp_path: Path, state: str) -> None:
    file = tmp_path / "console.log"
    file.write_text("the end\n")
    assert (console_end(file, state), console_end(None, "failed"), console_end(tmp_path / "no", "died")) == ("", "", "")


def test_the_console_of_a_run_directory_is_read_while_it_trains(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo", total=9) as log:
        log.log(1, {"reward": 0.5})
        (tmp_path / "a" / "console.log").write_text(f"{printed.GRADER_STACK}\n")
        run = open_run(tmp_path / "a")
    assert (run.status.state, run.console_tail) == ("running", f"{printed.GRADER_STACK}\n")
    assert run.status.last_printed is not None


def test_lines_before_the_last_row_are_past(tmp_path: Path) -> None:
    text = f"{ROW}{printed.MATH_VERIFY}\n{ROW}{printed.NCCL}\n"
    run = open_run(left_for(written(tmp_path, text), 7200))
    assert run.console_tail.splitlines() == [printed.NCCL]


def test_a_printed_log_that_ends_in_a_watchdog_hangs_or_was_ended_by_it(tmp_path: Path) -> None:
    run = open_run(left_for(written(tmp_path, f"{ROW}{ROW.replace('0.1', '0.2')}{printed.NCCL}\n"), 7200))
    assert run.status.state == "silent"
    (cause,) = diagnose(run).causes
    assert message_text(cause.summary) == "The training hangs: processes wait for one another."
