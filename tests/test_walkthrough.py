"""The README's walk-through, run exactly as it is printed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def commands() -> str:
    """Every command of the section, in order."""
    section = README.read_text("utf-8").partition("## Train your own model\n")[2].partition("\n## ")[0]
    return "".join(re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL))


def test_the_walk_through_trains_a_model_of_ones_own_as_it_says(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        ["bash", "-euc", commands()],
        cwd=tmp_path,
        env=environment,
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
