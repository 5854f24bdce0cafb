"""The guide's commands and programs, run exactly as printed."""

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from diagnostics.cli.command import COMMANDS
from diagnostics.runlog import RunLog
from trainer.config.algorithms import ALGORITHMS

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(GUIDE.glob("*.md")),
    ROOT / "docs" / "benchmarks" / "README.md",
    ROOT / "diagnostics" / "cli" / "skill" / "SKILL.md",
]
PROGRAMS = [(page, n) for page in PAGES for n, _ in enumerate(re.findall(r"```python\n", page.read_text("utf-8")))]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[list[str]]:
    """Every `rlvitals` command line of a page's plain blocks, as words, without its comment."""
    lines = [line for block in blocks(page, "") for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("rlvitals ")]


def environment(**more: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, **more}


def test_the_walk_through_trains_a_model_of_ones_own_as_it_says(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-euc", "".join(blocks(GUIDE / "train.md", "sh"))],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr  # the last command is the diagnosis, and it finds something critical
    events = (tmp_path / "runs" / "mine" / "events.jsonl").read_text("utf-8").splitlines()
    rewards = [json.loads(line)["metrics"]["reward"] for line in events]
    assert len(rewards) == 60
    assert sum(rewards[:5]) / 5 < 0.35
    assert sum(rewards[-5:]) / 5 > 0.6
    assert "The completions are cut off before they end." in done.stdout
    assert "4 held-out prompts, answers sampled at temperature 1, seed 0, judged by reward:my_rewards.py:vowels." in (
        done.stdout
    )
    assert re.search(r"^trained +starting +100\.0% ", done.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize(("page", "number"), PROGRAMS, ids=[f"{page.stem}-{n}" for page, n in PROGRAMS])
def test_a_program_of_the_guide_runs_as_printed(page: Path, number: int, tmp_path: Path) -> None:
    with RunLog(tmp_path / "runs" / "nan", algorithm="ppo", total=20) as log:
        for step in range(1, 21):
            log.log(step, {"loss/value_avg": float("nan")})
    program = blocks(page, "python")[number]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT)),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_every_command_and_every_option_that_a_page_prints_exists(page: Path) -> None:
    unknown = [
        (words, word) for words in commands(page) for word in words if is_option(word) and word not in help_of(words)
    ]
    assert unknown == []


def is_option(word: str) -> bool:
    return word.startswith("--") and word not in ("--", "--help", "--version")


def help_of(words: list[str]) -> str:
    """What the command of a printed line says of itself; without a command it opens the dashboard."""
    name = words[1] if len(words) > 1 and words[1] in COMMANDS else "ui"
    if name == "train":
        return "".join(help_text(f"train {algorithm}") for algorithm in ALGORITHMS)
    if name == "queue" and "--" in words:
        own = words[: words.index("--")]
        return help_of(["rlvitals", *words[len(own) + 1 :]]) + help_of(own)
    if name == "queue":
        return "".join(map(help_text, ("queue", *(f"queue {word}" for word in words[2:3] if word[0] != "-"))))
    return help_text(name)


@cache
def help_text(command: str) -> str:
    asked = [sys.executable, "-P", "-m", "diagnostics.cli", *command.split(), "--help"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
