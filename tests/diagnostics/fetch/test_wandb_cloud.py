"""Tests of fetching from W&B: the real client against a local server, and the message when it cannot."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.fetch.wandb_cloud import Address
from diagnostics.remote.error import FetchError
from tests.diagnostics.wandb_stand_in import StandIn, serving

TABLE = "media/table/completions_3_0123456789abcdef.table.json"
ROWS = [
    {"_step": 0, "_timestamp": 1.7e9, "train/global_step": 10, "train/reward": 0.5, "train/kl": 0.0},
    {"_step": 1, "_timestamp": 1.7e9 + 1, "train/global_step": 20, "train/reward": 0.75, "train/kl": "NaN"},
    {"_step": 2, "_timestamp": 1.7e9 + 2, "train/global_step": 30, "train/reward": 1.0, "train/kl": 1.0},
    {
        "_step": 3,
        "_timestamp": 1.7e9 + 3,
        "train/global_step": 30,
        "completions": {"_type": "table-file", "path": TABLE, "nrows": 1, "ncols": 2},
    },
]
FILES = {
    TABLE: json.dumps({"columns": ["prompt", "completion"], "data": [["2+2=", "4"]]}).encode(),
    "requirements.txt": b"trl==1.16.0\nwandb==0.31.0\n",
    "output.log": b"hello\n",
}


def imported(url: str, home: Path, *words: str, key: str = "local-" + "a" * 40) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")}
    environment |= {"WANDB_BASE_URL": url, "HOME": str(home), "XDG_CACHE_HOME": str(home), "NETRC": str(home / "none")}
    if key:
        environment["WANDB_API_KEY"] = key
    command = [sys.executable, "-m", "diagnostics.cli", "import", *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL
    )


@pytest.mark.process
def test_a_run_of_the_cloud_comes_back_whole_and_may_be_fetched_again(tmp_path: Path) -> None:
    target = tmp_path / "run"
    with serving(StandIn(ROWS, {"learning_rate": 1e-6, "nested": {"beta": 0.1}}, FILES)) as url:
        done = imported(url, tmp_path, "wandb://lab/tuning/abc", "--to", str(target))
        again = imported(url, tmp_path, "wandb://lab/tuning/abc", "--to", str(target))
        missing = imported(url, tmp_path, "wandb://lab/tuning/other", "--to", str(tmp_path / "other"))

    assert (done.returncode, again.returncode) == (0, 0), done.stderr + again.stderr
    run = open_run(target)
    assert [source.format for source in run.sources] == ["wandb-export"]
    assert (run.name, run.status.state, run.config["nested"]) == ("nightly", "finished", {"beta": 0.1})
    assert run.series["reward"].steps.tolist() == [10, 20, 30]
    (kl,) = (series for series in run.series.values() if series.tag == "kl")
    assert kl.values.tolist()[::2] == [0.0, 1.0]
    assert run.data_health.nan == 1
    assert run.series["system/cpu"].steps.tolist() == [20]
    assert [sample.response for sample in run.samples.at(30)] == ["4"]
    assert run.console is not None
    assert missing.returncode == 2
    assert "check entity, project and the run's id" in missing.stderr


@pytest.mark.process
def test_without_a_connection_it_says_so_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    done = imported(f"http://127.0.0.1:{port}", tmp_path, "wandb://lab/tuning/abc", "--to", str(tmp_path / "a"))

    assert done.returncode == 2
    assert "cannot be reached from here (Connection refused)" in done.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.process
def test_without_a_key_it_says_where_to_get_one(tmp_path: Path) -> None:
    with serving(StandIn(ROWS, {}, FILES)) as url:
        done = imported(url, tmp_path, "wandb://lab/tuning/abc", "--to", str(tmp_path / "a"), key="")

    assert done.returncode == 2
    assert "wandb login" in done.stderr.splitlines()[-1]


@pytest.mark.process
def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("do not touch")

    done = imported("http://127.0.0.1:9", tmp_path, "wandb://lab/tuning/abc", "--to", str(tmp_path))

    assert done.returncode == 2
    assert "holds something else already (thesis.tex)" in done.stderr


@pytest.mark.parametrize(
    "text",
    ["wandb://lab/tuning/abc", "https://wandb.ai/lab/tuning/runs/abc", "https://wandb.ai/lab/tuning/runs/abc?nw="],
)
def test_an_address_may_be_the_pages_own(text: str) -> None:
    assert Address.of(text) == Address("lab", "tuning", "abc")


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(FetchError, match="write wandb://ENTITY/PROJECT/RUN"):
        Address.of("abc")
