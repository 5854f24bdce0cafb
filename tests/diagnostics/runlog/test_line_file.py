"""Tests of the append-only file: nothing torn, nothing written by two."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.runlog.line_file import LineFile

WRITER = """
import sys, time
from pathlib import Path
from diagnostics.runlog.line_file import LineFile
file = LineFile(Path(sys.argv[1]))
file.append(b"theirs\\n")
print("open", flush=True)
time.sleep(60)
"""


def test_a_torn_last_line_is_ended_so_that_the_next_does_not_run_into_it(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"step":1}\n{"ste')
    file = LineFile(path)
    file.append(b'{"step":2}\n')
    file.close()
    assert path.read_bytes() == b'{"step":1}\n{"ste\n{"step":2}\n'


def test_a_whole_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"a\n")
    LineFile(path).close()
    assert path.read_bytes() == b"a\n"


@pytest.mark.process
def test_a_second_process_is_refused_until_the_first_is_gone_however_it_went(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"open\n"
    with pytest.raises(BlockingIOError):
        LineFile(path)
    writer.kill()
    writer.communicate()
    file = LineFile(path)
    file.append(b"ours\n")
    file.close()
    assert path.read_bytes() == b"theirs\nours\n"


def test_a_write_that_does_not_fit_leaves_no_part_of_itself(tiny_disk: Path) -> None:
    file = LineFile(tiny_disk / "events.jsonl")
    file.append(b"whole\n")
    with pytest.raises(OSError, match="No space left"):
        file.append(os.urandom(200_000) + b"\n")
    assert (tiny_disk / "events.jsonl").read_bytes() == b"whole\n"
    file.append(b"small\n")  # this one fits again
    file.close()
    assert (tiny_disk / "events.jsonl").read_bytes() == b"whole\nsmall\n"
