"""Tests of what every command shares: help, version, unknown words, output files, pipes and foreign working folders."""

import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.cli.command import COMMANDS

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]


def test_the_overview_names_every_command(rlvitals) -> None:
    shown = rlvitals("--help")
    assert shown.returncode == 0
    assert [name for name in COMMANDS if name not in shown.stdout] == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "train"])
def test_every_command_explains_itself(rlvitals, name: str) -> None:
    shown = rlvitals(name, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"usage: rlvitals {name}" in shown.stdout
    assert "examples:" in shown.stdout


def test_the_version_is_the_distributions(rlvitals) -> None:
    assert rlvitals("--version").stdout.startswith("rlvitals 0.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diagnos",), "did you mean 'rlvitals diagnose'?"),
        (("xyzzy",), "'rlvitals --help' lists the commands"),
        (("ui", "nowhere"), "there is no folder nowhere"),
        (("ui", "--prot", "1"), "did you mean '--port'?"),
        (("ui", "--port", "99999"), "'99999' is no port; give a number from 1 to 65535"),
        (("rules", "--format", "html"), "invalid choice: 'html'"),
        (("rules", "--output", "no/such/folder/rules.txt"), "cannot write no/such/folder/rules.txt"),
    ],
)
def test_a_word_that_does_not_fit_gets_one_sentence(rlvitals, words: tuple[str, ...], said: str) -> None:
    refused = rlvitals(*words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stderr.startswith("rlvitals: ")
    assert said in refused.stderr


def test_output_goes_to_the_file_that_was_asked_for(rlvitals, tmp_path: Path) -> None:
    printed = rlvitals("metrics")
    written = rlvitals("metrics", "--output", "metrics.txt")
    assert ("", printed.stdout) == (written.stdout, (tmp_path / "metrics.txt").read_text())


@pytest.mark.parametrize("words", ["metrics --format json", "--help", "metrics --help"])
def test_a_reader_that_has_seen_enough_gets_no_traceback(tmp_path: Path, words: str) -> None:
    command = Path(sys.executable).with_name("rlvitals")
    pipeline = f"'{command}' {words} | true"
    piped = subprocess.run(pipeline, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (piped.stdout, piped.stderr) == ("", "")


def test_a_folder_with_modules_of_our_names_changes_nothing(rlvitals, tmp_path: Path) -> None:
    for name in ("app.py", "trainer.py", "diagnostics.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module was imported')\n")
    (tmp_path / "diagnostics").mkdir()
    (tmp_path / "diagnostics" / "__init__.py").write_text("raise SystemExit('the wrong package was imported')\n")
    assert rlvitals("metrics").returncode == 0
    assert "max_completion_length" in rlvitals("train", "grpo", "--help").stdout


def test_a_module_on_the_search_path_that_hides_the_trainer_is_named(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "trainer.py").touch()
    refused = rlvitals("train", "grpo", PYTHONPATH=str(tmp_path))
    assert refused.returncode == 2
    assert f"{tmp_path / 'trainer.py'} hides rlvitals' own package 'trainer'" in refused.stderr


def test_the_command_starts_without_heavy_libraries() -> None:
    program = (
        "import sys; from diagnostics.cli import main; main(['--help']); main(['metrics', '--output', '/dev/null']);"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    imported = subprocess.run(
        [sys.executable, "-P", "-c", program], check=True, capture_output=True, text=True, timeout=60
    )
    assert {"torch", "streamlit", "pandas", "plotly"} & set(imported.stderr.split()) == set()
