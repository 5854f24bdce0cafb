"""Tests that rows decoded at once are what wandb's own messages and Python's json say, whatever the rows hold."""

import json
import math
import random
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wandb.proto.wandb_internal_pb2 import Record  # noqa: TID253 - W&B's own messages are what is read

from benchmarks.event_files import varint
from diagnostics.readers.wandb import offline, row_buffer
from diagnostics.readers.wandb.bulk_rows import decode_rows
from diagnostics.readers.wandb.history import SYSTEM

NAMES = ("loss", "train/kl", "eval/reward", "system/own", "奖励", "a.b", "a", "n" * 140)
SCALARS = st.one_of(
    st.floats(),
    st.integers(-(2**70), 2**70),
    st.none(),
    st.booleans(),
    st.sampled_from(["NaN", "text", "1.5", {"b": 1.0}, {"b": "NaN"}, [1, 2]]),
)
ROWS = st.lists(st.dictionaries(st.sampled_from(NAMES), SCALARS, max_size=6), max_size=12)


def records(file: Path) -> Iterator[Record]:
    """The records of a sound file, by a framing of the test's own."""
    content, at, parts = file.read_bytes(), 7, b""
    while at + 7 <= len(content):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        code, size, kind = struct.unpack_from("<IHB", content, at)
        part = content[at + 7 : at + 7 + size]
        assert zlib.crc32(bytes([kind]) + part) == code
        parts = part if kind in (1, 2) else parts + part
        at += 7 + size
        if kind in (1, 4):
            yield Record.FromString(parts)


def plain_points(file: Path) -> dict[str, list[tuple[int, float]]]:
    """The points of a run whose rows hold W&B's count and plain numbers, by wandb's messages and json."""
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for record in records(file):
        row = {item.nested_key[0] if item.nested_key else item.key: item.value_json for item in record.history.item}
        for name, text in row.items():
            if not name.startswith("_"):
                found[name].append((int(row["_step"]), float(json.loads(text))))
    return found


def shuffled(rows: list[dict[str, Any]], seed: int = 0, *, is_old: bool = False) -> list[Record]:
    """A record for each row, its items in any order, as W&B writes them."""
    draw, made = random.Random(seed), list[Record]()
    for row in rows:
        record = Record(num=len(made) + 1)
        for name, value in draw.sample(sorted(row.items()), len(row)):
            names = {"key": name} if is_old else {"nested_key": [name]}
            record.history.item.add(value_json=json.dumps(value), **names)
        made.append(record)
    return made


def have_same_points(one: Any, other: Any) -> bool:
    """Whether two recordings hold the same points; NaN equals NaN."""
    points = [
        {tag: (raw.steps.tolist(), list(map(str, raw.values)), raw.times.tolist()) for tag, raw in found.tags.items()}
        for found in (one, other)
    ]
    return points[0] == points[1] and (one.malformed, one.notes) == (other.malformed, other.notes)


def one_by_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the run holds where every row is decoded alone."""
    with monkeypatch.context() as patch:
        patch.setattr(row_buffer, "decode_rows", lambda *_: None)
        return offline.Reader(path).refresh()


@pytest.mark.parametrize("is_old", [False, True], ids=["nested_key", "key"])
def test_rows_in_any_order_give_what_wandbs_messages_and_json_say(wandb_file: Any, is_old: bool) -> None:
    draw = random.Random(1)
    rows = [
        {"_step": step, "_timestamp": 1.7e9 + step}
        | {f"train/metric_{n}": draw.choice([draw.gauss(0, 1e3), 3, -math.inf, math.nan, 1e-300]) for n in range(40)}
        | ({"eval/reward": 1.5, "x" * 100: 2} if step % 50 == 0 else {})
        for step in range(700)
    ]
    for record in shuffled(rows, is_old=is_old):
        wandb_file.append(record.SerializeToString())

    tags = wandb_file.reader().refresh().tags
    expected = plain_points(wandb_file.file)

    assert set(tags) == set(expected)
    for tag, points in expected.items():
        assert list(zip(tags[tag].steps.tolist(), map(str, tags[tag].values), strict=True)) == [
            (step, str(value)) for step, value in points
        ]
    assert decode_rows([record.history.SerializeToString() for record in shuffled(rows)], SYSTEM) is not None


@given(rows=ROWS, seed=st.integers(0, 9))
def test_rows_at_once_are_the_rows_one_by_one(
    rows: list[dict[str, Any]], seed: int, wandb_writer: Any, tmp_path_factory: Any
) -> None:
    writer = wandb_writer(tmp_path_factory.mktemp("wandb") / "run")
    filler = [{"_step": step, "loss": 0.5, "train/kl": 1} for step in range(10)]
    for record in shuffled([*filler, *({"_step": 10 + at} | row for at, row in enumerate(rows)), *filler], seed):
        writer.append(record.SerializeToString())

    with pytest.MonkeyPatch.context() as monkeypatch:
        assert have_same_points(writer.reader().refresh(), one_by_one(writer.path, monkeypatch))


def test_a_real_run_of_trl_is_the_same_at_once_and_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    path = next((Path(__file__).parents[3] / "fixtures" / "trl").glob("grpo116/wandbdir/wandb/*"))
    alone = one_by_one(path, monkeypatch)
    at_once = offline.Reader(path).refresh()

    assert have_same_points(at_once, alone)
    assert at_once.samples.at(1) == alone.samples.at(1)


def test_of_several_values_under_one_name_in_a_row_the_last_counts(wandb_file: Any) -> None:
    for step in range(20):
        record = Record()
        for name, value in (("_step", step), ("loss", 1), ("loss", 2.0 * step)):
            record.history.item.add(nested_key=[name], value_json=json.dumps(value))
        wandb_file.append(record.SerializeToString())

    assert wandb_file.reader().refresh().tags["loss"].values.tolist() == [2.0 * step for step in range(20)]


@pytest.mark.parametrize("text", ["1,2", "1]", "[1", "0x1", "1_0", "-", '1,"a'])
def test_a_value_that_is_no_json_costs_its_row_alone(wandb_file: Any, text: str) -> None:
    for step in range(40):
        record = Record()
        record.history.item.add(nested_key=["_step"], value_json=str(step))
        record.history.item.add(nested_key=["loss"], value_json=text if step == 20 else "0.5")
        wandb_file.append(record.SerializeToString())

    recording = wandb_file.reader().refresh()

    assert recording.tags["loss"].steps.tolist() == [step for step in range(40) if step != 20]
    assert recording.malformed == 1


def test_steps_beyond_a_floats_precision_stay_whole(wandb_file: Any) -> None:
    for step in range(20):
        wandb_file.write(2**60 + step, {"loss": 0.5})

    assert wandb_file.reader().refresh().tags["loss"].steps.tolist() == [2**60 + step for step in range(20)]


def test_samples_of_the_machine_stand_at_the_step_that_they_were_taken_in(wandb_file: Any) -> None:
    for step in range(20):
        record = Record()
        for name, value in (("_step", step), ("_timestamp", 1000.0 + step), ("loss", 0.5)):
            record.history.item.add(nested_key=[name], value_json=json.dumps(value))
        wandb_file.append(record.SerializeToString())
        stats = Record()
        stats.stats.timestamp.seconds = 1000 + step
        stats.stats.item.add(key="cpu", value_json=str(step))
        wandb_file.append(stats.SerializeToString())

    recording = wandb_file.reader().refresh()

    assert recording.tags["system/cpu"].steps.tolist() == list(range(19))
    assert recording.tags["system/cpu"].values.tolist() == [float(step) for step in range(19)]


def test_a_summary_counts_wherever_its_field_stands_in_the_record(wandb_file: Any) -> None:
    wandb_file.write(3, {"loss": 1.0})
    summary, end = Record(), Record()
    summary.summary.update.add(nested_key=["train_runtime"], value_json="2.5")
    end.exit.exit_code = 0
    wandb_file.append(b"\xc2\x0c\x00" + summary.SerializeToString())  # an empty `_info` before it, as W&B's core writes
    wandb_file.append(end.SerializeToString())

    assert wandb_file.reader().refresh().tags["train_runtime"].values.tolist() == [2.5]


@pytest.mark.parametrize("seed", range(60))
def test_damaged_rows_whose_checksums_hold_are_the_same_at_once_and_one_by_one(
    wandb_file: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    rows = [{"_step": step, "loss": draw.gauss(0, 1), "eval/kl": math.nan, "n": {"x": 1}} for step in range(30)]
    for record in shuffled(rows, seed):
        message = bytearray(record.history.SerializeToString())
        if draw.random() < 0.1:
            place = draw.randrange(len(message))
            message[place : place + draw.randrange(3)] = draw.randbytes(draw.randrange(3))
        wandb_file.append(b"\x12" + varint(len(message)) + bytes(message))

    assert have_same_points(wandb_file.reader().refresh(), one_by_one(wandb_file.path, monkeypatch))
