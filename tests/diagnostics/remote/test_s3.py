"""Logs in a bucket of a real S3 server: listed, read and followed; when it fails, is slow, or is shared."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.addresses import address_of, folder_of
from diagnostics.api import LiveRun, UnreadableRun, find_runs, open_run, watch
from diagnostics.cli import main
from diagnostics.remote import store as remote_store
from diagnostics.remote.following import NotHereYet, silence_of, waiting_at_most
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.s3_store import Store

PATIENCE = 20.0
GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "your-logs.md"


def row(step: int, blanks: int = 0, offset: float = 0.5) -> bytes:
    return (json.dumps({"step": step, "reward": step + offset, "note": " " * blanks}) + "\n").encode()


def rows(first: int, last: int, blanks: int = 0, offset: float = 0.5) -> bytes:
    return b"".join(row(step, blanks, offset) for step in range(first, last + 1))


def wait_until(look: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {PATIENCE:.0f} s for {what}")


def steps_of(live: LiveRun) -> Callable[[], int]:
    """The last step that a run has, whenever it is asked."""
    seen = [0]

    def last_step() -> int:
        run = live.refresh()
        if run is not None and run.last_step is not None:
            seen[0] = run.last_step
        return seen[0]

    return last_step


def test_runs_are_listed_by_the_beginnings_of_their_logs(store: Store) -> None:
    for number in range(30):
        store.put(f"many/run-{number:02}/metrics.jsonl", rows(1, 400, blanks=1000, offset=number / 50))
    store.put("many/run-00/checkpoint-9/model.safetensors", b"0" * 5000)
    found = find_runs(f"{store.address}/many")
    assert [ref.path.parent.name for ref in found] == [f"run-{number:02}" for number in range(30)]
    assert store.transferred() < 30 * 70_000
    assert sum("list-type" in asked.path for asked in store.asked) <= 2
    assert not any("safetensors" in asked.path for asked in store.asked)
    assert open_run(found[7]).last_step == 400
    assert store.transferred("run-08") < 70_000


def test_a_run_is_opened_by_its_address_as_a_local_one(store: Store) -> None:
    store.put_folder(SAMPLE_RUNS / "cut-off", "samples/cut-off")
    here, there = open_run(SAMPLE_RUNS / "cut-off"), open_run(f"{store.address}/samples/cut-off")
    assert {name: series.values.tolist() for name, series in here.series.items()} == {
        name: series.values.tolist() for name, series in there.series.items()
    }
    assert (there.status.state, there.run_id) == (here.status.state, here.run_id)
    assert open_run(Path(f"{store.address}/samples/cut-off")).run_id == here.run_id


def test_following_a_log_costs_what_it_has_grown_by(store: Store) -> None:
    log = rows(1, 1000, blanks=400)
    store.put("tail/metrics.jsonl", log)
    last_step = steps_of(LiveRun(f"{store.address}/tail"))
    assert last_step() == 1000
    store.asked.clear()
    for step in range(1001, 1006):
        log += row(step, blanks=400)
        store.put("tail/metrics.jsonl", log)
        wait_until(lambda step=step: last_step() == step, f"step {step}")
    appended = 5 * len(row(1001, blanks=400))
    assert appended <= store.transferred() <= appended + 5 * 4096
    assert all(asked.range for asked in store.asked if asked.bytes)
    assert store.writes() == []


def test_a_server_that_stops_costs_nothing_that_was_read_and_is_followed_again(store: Store) -> None:
    store.put("stops/metrics.jsonl", rows(1, 5))
    address = f"{store.address}/stops"
    last_step = steps_of(LiveRun(address))
    assert (last_step(), silence_of(folder_of(address))) == (5, "")
    store.is_down = True
    store.put("stops/metrics.jsonl", rows(1, 6))

    def silence() -> str:
        assert last_step() == 5
        return silence_of(folder_of(address))

    sentence = wait_until(silence, "the silence to be told")
    assert sentence.startswith(f"{address} has not answered since 20")
    assert "the-secret" not in sentence
    store.is_down = False
    wait_until(lambda: last_step() == 6, "the next step")
    assert silence_of(folder_of(address)) == ""


def test_a_throttled_request_is_asked_again(store: Store) -> None:
    store.put("throttled/metrics.jsonl", rows(1, 5))
    store.failures = 3
    assert open_run(f"{store.address}/throttled").last_step == 5


def test_a_slow_link_keeps_nobody_waiting_and_tells_how_far_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_store, "_IDLE_SECONDS", 0.5)  # who waits goes on asking
    store.put("slow/metrics.jsonl", rows(1, 1000, blanks=1000))
    store.bytes_per_second = 500_000
    started = time.monotonic()
    with (
        waiting_at_most(0.3),
        pytest.raises(NotHereYet, match=r"slow is being fetched: \S+ (bytes|kB) of 1 MB are here"),
    ):
        LiveRun(f"{store.address}/slow")
    assert time.monotonic() - started < 2.0
    assert open_run(f"{store.address}/slow").last_step == 1000
    assert store.transferred() < 1_200_000


def test_a_log_that_is_rewritten_is_read_anew_and_one_that_is_removed_is_gone(store: Store) -> None:
    store.put("changes/a/metrics.jsonl", rows(1, 9))
    store.put("changes/b/metrics.jsonl", rows(1, 3, offset=0.1))
    assert len(find_runs(f"{store.address}/changes")) == 2
    last_step = steps_of(LiveRun(f"{store.address}/changes/a"))
    assert last_step() == 9
    store.put("changes/a/metrics.jsonl", rows(21, 24))
    wait_until(lambda: last_step() == 24, "the new log")
    store.remove("changes/b/metrics.jsonl")
    wait_until(lambda: len(find_runs(f"{store.address}/changes")) == 1, "the run to leave")


def test_what_a_run_says_of_its_end_is_never_ahead_of_its_log(store: Store) -> None:
    seen = []
    store.put_folder(SAMPLE_RUNS / "cut-off", "ends")
    events = (SAMPLE_RUNS / "cut-off" / "events.jsonl").read_bytes().splitlines(keepends=True)
    status = json.loads((SAMPLE_RUNS / "cut-off" / "status.json").read_bytes())
    now = {"heartbeat": time.time(), "updated": time.time()}
    store.put(
        "ends/status.json", json.dumps({**status, **now, "state": "running", "step": 30, "host": "elsewhere"}).encode()
    )
    store.put("ends/events.jsonl", b"".join(events[:30]))
    for run in watch(f"{store.address}/ends", interval=0.05):
        seen.append((run.status.state, run.last_step))
        if len(seen) == 1:
            store.put("ends/events.jsonl", b"".join(events))
            store.put("ends/status.json", json.dumps(status).encode())
    assert seen[-1] == ("finished", 60)
    assert ("finished", 30) not in seen


def test_an_old_run_does_not_look_alive_because_it_was_copied_just_now(store: Store) -> None:
    store.put_folder(SAMPLE_RUNS / "cut-off", "old")
    found = open_run(f"{store.address}/old")
    assert found.status.last_written == open_run(SAMPLE_RUNS / "cut-off").status.last_written


def commands_of_the_guide() -> list[list[str]]:
    """What the guide says to type for runs in a bucket, but for the dashboard, which a browser opens elsewhere."""
    lines = re.findall(r"^rlvitals (.*s3://bucket/runs.*?)(?: +#.*)?$", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
    return [line.split() for line in lines if not line.startswith(("s3://", "import"))]


def put_old_run(store: Store, name: str) -> None:
    """A sample run as if it had been trained years ago."""
    for file in filter(Path.is_file, (SAMPLE_RUNS / "cut-off").iterdir()):
        store.put(f"{name}/{file.name}", re.sub(rb"\b1[7-9](\d{8})\b", rb"16\1", file.read_bytes()))


@pytest.mark.process
def test_the_guides_commands_share_one_copy_and_write_nothing_there(store: Store) -> None:
    put_old_run(store, "runs/a")
    before, commands = store.content(), commands_of_the_guide()
    assert [words[0] for words in commands] == ["runs", "diagnose", "watch"]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "diagnostics.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for words in commands
    ]
    answers = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 1, 0], answers  # what ended long ago is not watched
    assert all(b"cut-off" in out for out, _ in answers[:2])
    assert all(b"the-secret" not in out + err for out, err in answers)
    size = sum(size for name, (_, size) in before.items() if name.startswith("runs/"))
    assert size <= store.transferred("/runs/") <= 1.1 * size
    assert (store.writes(), store.content()) == ([], before)


def test_a_command_says_what_no_longer_answers_and_reads_what_is_known(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store.put_folder(SAMPLE_RUNS / "cut-off", "stale")
    command = ["runs", f"{store.address}/stale", "--format", "json"]
    assert main(command) == 0
    store.is_down = True
    wait_until(lambda: capsys.readouterr() and main(command) == 2, "a look that fails")
    document = json.loads(capsys.readouterr().out)
    assert [(run["name"], run["path"]) for run in document["runs"]] == [("cut-off", f"{store.address}/stale")]
    assert "has not answered since" in document["errors"][0]["error"]


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("s3://bucket/nothing/here", "there is nothing at s3://bucket/nothing/here; check the address"),
        ("s3://no-such-bucket/runs", "there is nothing at s3://no-such-bucket/runs; check the address"),
        ("s3://key:secret@bucket/runs", "a password or a key in it is not taken"),
        ("nonsense://somewhere/a", "nonsense://somewhere/a could not be read .*check the address"),
        ("s3://bucket/a/../b", "holds a part that no folder can be named by"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_in_a_sentence(store: Store, address: str, sentence: str) -> None:
    with pytest.raises(UnreadableRun, match=sentence) as refused:
        open_run(address)
    assert "secret@" not in str(refused.value)


@pytest.mark.process
def test_a_copy_that_was_removed_or_cut_short_is_made_whole(store: Store) -> None:
    store.put("cut/a/metrics.jsonl", rows(1, 40))
    store.put("cut/b/metrics.jsonl", rows(1, 30, offset=0.2))
    assert [open_run(ref).last_step for ref in find_runs(f"{store.address}/cut")] == [40, 30]
    os.truncate(folder_of(f"{store.address}/cut/a/metrics.jsonl"), 50)
    folder_of(f"{store.address}/cut/b/metrics.jsonl").unlink()
    program = f"from rlvitals import *; print([open_run(r).last_step for r in find_runs('{store.address}/cut')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[40, 30]\n"


def test_what_was_left_longest_makes_room_and_comes_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        store.put(f"room/{name}/metrics.jsonl", rows(1, 40, blanks=100))
    monkeypatch.setattr(remote_store, "MOST_BYTES", 9_000)
    monkeypatch.setattr(remote_store, "_KEPT_SECONDS", 0.0)
    monkeypatch.setattr(remote_store, "_IDLE_SECONDS", 0.3)
    first, second = (folder_of(f"{store.address}/room/{name}/metrics.jsonl") for name in ("a", "b"))
    for here, gone in ((first, second), (second, first), (first, second)):
        assert open_run(address_of(here) or "").last_step == 40
        assert (here.exists(), gone.exists()) == (True, False)
        time.sleep(1.0)  # until nobody asks for it any more
    monkeypatch.setattr(remote_store, "MOST_BYTES", 1_000)
    with pytest.raises(NotHereYet, match="the copies of s3://bucket have reached 1 kB; name an address nearer"):
        open_run(address_of(second) or "")


def test_a_cache_that_takes_nothing_is_named(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(
        UnreadableRun, match=r"no copy of s3://bucket/runs can be kept in .*/file/rlvitals/remote: Not a"
    ):
        open_run(f"{store.address}/runs")
    assert find_runs(f"{store.address}/runs") == []


def test_keys_that_no_file_can_have_are_left_out(store: Store, tmp_path: Path) -> None:
    store.put("odd/run/metrics.jsonl", rows(1, 4))
    for key in ("odd/../../outside.jsonl", "odd//empty.jsonl", f"odd/{'x' * 300}.jsonl", "odd/run", "odd/run/"):
        store.put(key, b"{}")
    assert [address_of(ref.path) for ref in find_runs(f"{store.address}/odd")] == [
        f"{store.address}/odd/run/metrics.jsonl"
    ]
    assert not list(tmp_path.rglob("outside.jsonl"))
