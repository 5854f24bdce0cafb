import io
import sys

from trainer.console import Progress, Tee, recorded_console


def test_what_is_printed_is_shown_and_kept(tmp_path, capsys):
    with recorded_console(tmp_path):
        sys.stderr.write("a warning\n")
        sys.stdout.write("a result\n")
    assert capsys.readouterr() == ("a result\n", "a warning\n")
    assert (tmp_path / "console.log").read_text("utf-8") == "a warning\na result\n"


def test_a_process_that_was_started_into_its_console_log_writes_it_once(tmp_path, monkeypatch):
    with (tmp_path / "console.log").open("w", encoding="utf-8") as log:
        monkeypatch.setattr(sys, "stderr", log)
        with recorded_console(tmp_path):
            assert sys.stderr is log


def test_progress_on_a_pipe_is_a_line_with_the_reward(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    progress = Progress(total=2)
    progress.show(1, {"reward": 0.25})
    progress.show(2, {"reward": 0.5})
    progress.close()
    first, last = stream.getvalue().splitlines()
    assert first == "step 1/2 · reward 0.25"
    assert last.startswith("step 2/2 · reward 0.5 · ")
    assert last.endswith(" s/step · 0 s left")


def test_progress_says_where_no_reward_function_could_score(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    Progress(3).show(1, {"loss": 0.0})
    assert sys.stderr.getvalue() == "step 1/3 · no completion was scored\n"


def test_progress_on_a_terminal_keeps_lines_for_the_log_and_shows_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown, kept = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", Tee(shown, kept))
    progress = Progress(total=1)
    progress.show(1, {"reward": 0.5})
    progress.close()
    assert kept.getvalue() == "step 1/1 · reward 0.5\n"
    assert "1/1" in shown.getvalue()
    assert "step 1/1 ·" not in shown.getvalue()
