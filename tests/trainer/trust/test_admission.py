"""Commands that name foreign code: typed by the user, named by a run or a file, on a terminal and on a pipe."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from trainer.config.algorithms import make_config
from trainer.launch import LaunchError
from trainer.launch.starting import start

pytestmark = pytest.mark.process

QUICK = ("--max_steps", "1", "--per_device_train_batch_size", "8", "--num_generations", "8", "--report_to", "none")
MARKING = """
import pathlib
pathlib.Path({marker!r}).touch()

def f(completions, **columns):
    return [0.0] * len(completions)
"""


@pytest.fixture(autouse=True)
def _own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """The file that is there once the foreign reward file ran."""
    return tmp_path / "ran"


@pytest.fixture
def foreign(tmp_path: Path, ran: Path) -> Path:
    """Somebody else's run, whose reward function is a file that leaves a mark when it runs."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    (folder / "reward.py").write_text(MARKING.format(marker=str(ran)))
    config = make_config("grpo", {"task": "addition", "reward_funcs": [f"{folder}/reward.py:f"]})
    described = {"algorithm": "grpo", "run_id": "1", "config": config.to_dict()}
    (folder / "run.json").write_text(json.dumps(described))
    return folder


def command(*words: object) -> list[str]:
    return [sys.executable, "-P", "-m", "trainer.main", "train", *map(str, words)]


def on_a_pipe(folder: Path, *words: object) -> tuple[int, str]:
    done = subprocess.run(
        command(*words), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False
    )
    return done.returncode, done.stderr


def on_a_terminal(folder: Path, answer: str, *words: object) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command(*words), cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return process.wait(180), said.decode()


def test_on_a_pipe_the_code_of_a_run_is_refused_by_name_until_it_is_trusted(
    tmp_path: Path, foreign: Path, ran: Path
) -> None:
    code, said = on_a_pipe(tmp_path, "--from", foreign, *QUICK)
    assert code == 2
    assert f"{foreign} names code that would run as you and is not trusted yet: reward function file" in said
    assert f"{foreign}/reward.py" in said
    assert "give --trust" in said
    assert not ran.exists()

    assert on_a_pipe(tmp_path, "--from", foreign, "--trust", *QUICK)[0] == 0
    assert ran.exists()
    assert on_a_pipe(tmp_path, "--from", foreign, *QUICK)[0] == 0  # remembered

    (foreign / "reward.py").write_text((foreign / "reward.py").read_text() + "# changed\n")
    assert on_a_pipe(tmp_path, "--from", foreign, *QUICK)[0] == 2


def test_on_a_terminal_it_is_asked_about(tmp_path: Path, foreign: Path, ran: Path) -> None:
    code, said = on_a_terminal(tmp_path, "", "--from", foreign, *QUICK)
    assert (code, ran.exists()) == (2, False)
    assert f"{foreign} names code that would run as you:" in said
    assert "[y/N]" in said
    assert on_a_terminal(tmp_path, "y", "--from", foreign, *QUICK)[0] == 0
    assert ran.exists()


def test_resuming_asks_as_well(tmp_path: Path, foreign: Path, ran: Path) -> None:
    (foreign / "status.json").write_text(json.dumps({"state": "stopped", "step": 0, "total": 9}))
    code, said = on_a_pipe(tmp_path, "--resume", foreign)
    assert (code, ran.exists()) == (2, False)
    assert "names code that would run as you" in said


def test_a_configuration_file_may_be_somebody_elses(tmp_path: Path, foreign: Path, ran: Path) -> None:
    (foreign / "theirs.toml").write_text(f'task = "addition"\nreward_funcs = ["{foreign}/reward.py:f"]\n')
    code, said = on_a_pipe(tmp_path, "grpo", "--config", foreign / "theirs.toml", *QUICK)
    assert (code, ran.exists()) == (2, False)
    assert "theirs.toml names code" in said


def test_what_the_user_types_runs_and_is_trusted_from_then_on(tmp_path: Path, foreign: Path, ran: Path) -> None:
    words = ("--reward_funcs", "foreign/reward.py:f", "--run_dir", "mine", *QUICK)
    assert on_a_pipe(tmp_path, "grpo", "--task", "addition", *words)[0] == 0
    assert ran.exists()
    assert on_a_pipe(tmp_path, "--from", "mine", *QUICK)[0] == 0
    assert on_a_pipe(tmp_path, "--from", foreign, *QUICK)[0] == 0  # the same content


def test_words_that_repeat_what_the_run_names_are_no_consent(tmp_path: Path, foreign: Path, ran: Path) -> None:
    words = ("--reward_funcs", f"{foreign}/reward.py:f")  # as --apply-fixes writes where a function is left out
    code, said = on_a_pipe(tmp_path, "--from", foreign, *words, *QUICK)
    assert (code, ran.exists()) == (2, False)
    assert "names code that would run as you" in said


def test_a_typed_flag_is_no_consent_to_a_folder_that_the_run_names(tmp_path: Path, foreign: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config"}}')
    (model / "mine.py").write_text("raise SystemExit('it ran')\n")
    described = json.loads((foreign / "run.json").read_text())
    described["config"] |= {"model_name_or_path": str(model), "reward_funcs": []}
    (foreign / "run.json").write_text(json.dumps(described))
    code, said = on_a_pipe(tmp_path, "--from", foreign, "--trust_remote_code", "true", *QUICK)
    assert code == 2
    assert "Python code of a model" in said


def test_a_program_that_starts_a_training_has_typed_nothing(tmp_path: Path, foreign: Path, ran: Path) -> None:
    reward = f"{foreign}/reward.py:f"
    with pytest.raises(LaunchError, match="names code that would run as you"):
        start(["train", "grpo", "--task", "addition", "--reward_funcs", reward, *QUICK], tmp_path / "a")
    assert not ran.exists()


def test_a_list_that_cannot_be_read_is_named(tmp_path: Path, foreign: Path, ran: Path) -> None:
    (tmp_path / "data" / "rlvitals").mkdir(parents=True)
    (tmp_path / "data" / "rlvitals" / "trusted.json").write_text("{")
    code, said = on_a_pipe(tmp_path, "--from", foreign, *QUICK)
    assert (code, ran.exists()) == (2, False)
    assert "is broken, so nothing is trusted" in said
