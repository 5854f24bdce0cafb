"""The cluster of these tests, and trainings as its user starts and watches them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import Cluster, lacking, started_cluster

COMMAND = Path(sys.executable).with_name("rlvitals")
SECONDS = 90.0


@dataclass(frozen=True)
class Login:
    """A login node of the cluster: rlvitals' commands in a folder, and what they tell."""

    cluster: Cluster
    folder: Path

    def rlvitals(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [COMMAND, *words],
            cwd=self.folder,
            env={**os.environ, **self.cluster.environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def train(self, *words: str) -> str:
        """Submit a training of the demo task; returns what was said."""
        done = self.rlvitals("train", *words, "--report_to", "none", "--executor", "slurm")
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """Let no job begin meanwhile."""
        self.cluster.run("scontrol", "update", "PartitionName=debug", "State=DOWN")
        try:
            yield
        finally:
            self.cluster.run("scontrol", "update", "PartitionName=debug", "State=UP")

    def told(self, name: str) -> str:
        """What `rlvitals status` says of a folder."""
        return self.rlvitals("status", name).stdout

    def runs(self) -> dict[str, dict[str, Any]]:
        """The listed runs and waiting jobs by the names of their folders."""
        told = json.loads(self.rlvitals("runs", ".", "--format", "json").stdout)["runs"]
        return {Path(row["path"]).name: row for row in told}

    def state(self, name: str) -> str:
        """The state that the listing shows; empty where it shows nothing."""
        return str(self.runs().get(name, {}).get("state", ""))

    def status(self, name: str) -> dict[str, Any]:
        """The run's own status.json."""
        found: dict[str, Any] = json.loads((self.folder / name / "status.json").read_text())
        return found

    def steps(self, name: str) -> list[int]:
        """The logged steps, in the order of their lines."""
        path = self.folder / name / "events.jsonl"
        return [json.loads(line)["step"] for line in path.read_text().splitlines()] if path.exists() else []

    def wait_for(self, holds: Callable[[], bool], seconds: float = SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, self._whole_story()
            time.sleep(0.5)

    def _whole_story(self) -> str:
        consoles = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*/console.log"))
        return f"{self.runs()}\n{self.cluster.run('squeue', '--states=all')}\n{consoles}\n{self.cluster.logs()}"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Slurm on this machine."""
    if missing := lacking():
        pytest.skip(f"{', '.join(missing)} not installed: make test-slurm")
    if os.geteuid() != 0:
        pytest.skip("only root may start Slurm's daemons so")
    with started_cluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture
def login(cluster: Cluster, tmp_path: Path) -> Iterator[Login]:
    """A folder on the cluster; whatever a test leaves there is cancelled."""
    yield Login(cluster, tmp_path)
    cluster.run("scancel", "--user=root")
