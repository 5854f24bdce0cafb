"""The end of a console log, as a terminal would show it."""

from pathlib import Path

from app.load.console_tail import console_tail


def test_only_the_last_lines_are_read(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_text("".join(f"line {number}\n" for number in range(50_000)))
    assert console_tail(log, lines=2) == "line 49998\nline 49999"


def test_of_a_progress_bar_only_the_last_drawing_stays(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"start\n 1%\r 2%\r 3%\r\nend")
    assert console_tail(log) == "start\n 3%\nend"


def test_colours_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"\x1b[36m(TaskRunner pid=7)\x1b[0m step:1\n")
    assert console_tail(log) == "(TaskRunner pid=7) step:1"


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"\xff\xfe ok\n")
    assert console_tail(log).endswith(" ok")


def test_a_missing_console_is_empty(tmp_path: Path) -> None:
    assert console_tail(None) == console_tail(tmp_path / "gone") == ""
