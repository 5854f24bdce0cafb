"""Remote folders: what is copied, what a second fetch costs, and the message when it fails."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.fetch.remote_folder import copy
from diagnostics.fetch.wandb_cloud import Address
from diagnostics.remote.error import FetchError

ROW = '{{"step": {step}, "reward": {step}.5}}\n'


class Listing(SimpleHTTPRequestHandler):
    """A plain web server's folder."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Listing, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def remote_run(tmp_path: Path) -> Path:
    """A remote run: a log of three steps, and weights."""
    folder = tmp_path / "there" / "run"
    (folder / "checkpoint-1").mkdir(parents=True)
    (folder / "metrics.jsonl").write_text("".join(ROW.format(step=step) for step in (1, 2, 3)))
    (folder / "checkpoint-1" / "model.safetensors").write_bytes(b"\0" * 1000)
    return folder


def test_the_logs_of_a_folder_elsewhere_are_copied_and_its_weights_are_not(remote_run: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    copied = copy(f"file://{remote_run}", here)
    assert (copied.files, copied.changed, copied.left_out) == (1, 1, 1)
    assert open_run(here).series["reward"].values.tolist() == [1.5, 2.5, 3.5]
    assert not (here / "checkpoint-1").exists()


def test_a_second_look_costs_what_a_log_has_grown_by(remote_run: Path, tmp_path: Path) -> None:
    here, address = tmp_path / "here", f"file://{remote_run}"
    copy(address, here)
    assert copy(address, here).bytes == 0
    with (remote_run / "metrics.jsonl").open("a") as log:
        log.write(ROW.format(step=4))
    assert copy(address, here).bytes == len(ROW.format(step=4))
    assert open_run(here).series["reward"].steps.tolist() == [1, 2, 3, 4]


def test_a_log_that_was_begun_anew_is_copied_anew(remote_run: Path, tmp_path: Path) -> None:
    here, address = tmp_path / "here", f"file://{remote_run}"
    copy(address, here)
    (remote_run / "metrics.jsonl").write_text("".join(ROW.format(step=step) for step in (7, 8, 9, 10, 11)))
    copy(address, here)
    assert open_run(here).series["reward"].steps.tolist() == [7, 8, 9, 10, 11]


def test_a_database_that_grew_is_copied_whole_for_its_pages_change_in_place(remote_run: Path, tmp_path: Path) -> None:
    here, address = tmp_path / "here", f"file://{remote_run}"
    (remote_run / "project.db").write_bytes(b"a" * 9000)
    copy(address, here)
    (remote_run / "project.db").write_bytes(b"b" * 2000 + b"a" * 8000)
    assert copy(address, here).bytes == 10_000
    assert (here / "project.db").read_bytes() == (remote_run / "project.db").read_bytes()


def test_what_vanished_there_stays_here(remote_run: Path, tmp_path: Path) -> None:
    here, address = tmp_path / "here", f"file://{remote_run}"
    (remote_run / "console.log").write_text("step 1\n")
    copy(address, here)
    (remote_run / "metrics.jsonl").unlink()
    copy(address, here)
    assert (here / "metrics.jsonl").exists()


def test_a_copy_that_was_cut_short_is_made_whole(remote_run: Path, tmp_path: Path) -> None:
    here, address = tmp_path / "here", f"file://{remote_run}"
    copy(address, here)
    os.truncate(here / "metrics.jsonl", 10)
    copy(address, here)
    assert (here / "metrics.jsonl").read_bytes() == (remote_run / "metrics.jsonl").read_bytes()


@pytest.mark.process
def test_a_web_servers_folder_is_imported_by_the_command(remote_run: Path, tmp_path: Path) -> None:
    with served(remote_run.parent) as url:
        command = [sys.executable, "-m", "diagnostics.cli", "import", f"{url}/run/", "--to", str(tmp_path / "here")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 files, 1 files of weights left out" in done.stdout
    assert open_run(tmp_path / "here").series["reward"].values.tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("file:///no/such/folder", "holds no file; check the address"),
        ("nonsense://somewhere/a", "could not be read .*nonsense"),
        ("http://127.0.0.1:9/a", "check the address"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_in_a_sentence(address: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=sentence):
        copy(address, tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_folder_that_holds_something_else_is_left_alone(remote_run: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    copy(f"file://{remote_run}", here)
    with pytest.raises(FetchError, match="holds a copy of file://"):
        copy(f"file://{remote_run.parent}", here)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("do not touch")
    with pytest.raises(FetchError, match=r"holds something else already \(thesis.tex\)"):
        copy(f"file://{remote_run}", tmp_path / "thesis")


def test_a_file_that_would_lie_outside_is_refused(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.store["/bucket/run/../../outside.jsonl"] = fsspec.implementations.memory.MemoryFile(memory, "x", b"{}")
    memory.pseudo_dirs.append("/bucket/run")
    try:
        with pytest.raises(FetchError, match="would lie outside"):
            copy("memory://bucket/run", tmp_path / "here")
    finally:
        memory.store.clear()
    assert not (tmp_path / "outside.jsonl").exists()


@pytest.mark.parametrize(
    ("address", "is_wandb"),
    [
        ("wandb://lab/tuning/abc", True),
        ("https://wandb.ai/lab/tuning/runs/abc", True),
        ("abc", True),  # refused, with the format of a W&B address
        ("https://host/logs/a/b", False),
        ("s3://bucket/runs/a", False),
    ],
)
def test_an_address_is_of_wandb_where_it_looks_like_one(address: str, is_wandb: bool) -> None:
    assert Address.is_one(address) is is_wandb
