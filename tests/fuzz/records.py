"""Damage to the records of binary logs whose frames and checksums stay valid: Protocol Buffers' fields."""

import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.event_files import field, framed, varint
from diagnostics.readers.files.protobuf import BYTES, VARINT, WireError, spans
from diagnostics.readers.wandb.records import WandbRecords
from diagnostics.readers.wandb.swanlab import MAGIC
from tests.diagnostics.readers.writers.trackers import SwanlabWriter, WandbWriter
from tests.fuzz.damage import Damage, Damaged, files_of
from tests.fuzz.mutations import event_records
from tests.fuzz.values import ODD_VALUES

_ENDINGS = (".0", ".wandb", ".swanlab")  # the first of event files
_KINDS = (*range(1, 27), 100)  # of records: numbers that W&B, SwanLab and event files use, and one that none does
_HUGE = (1 << 31, 1 << 35, (1 << 63) - 1, (1 << 64) - 1, 1 << 70)
_DEPTH = 3_000


def odd_field(draw: random.Random, folder: Path) -> Damaged:
    """A field of one record, at any depth, gets another number, type, length or content."""
    return _damage(draw, folder, _odd_message, "a field")


def odd_record(draw: random.Random, folder: Path) -> Damaged:
    """One record is of another kind, without an end, or noise."""
    return _damage(draw, folder, _odd_record, "a record")


def many_records(draw: random.Random, folder: Path) -> Damaged:
    """One record comes thousands of times."""
    file = draw.choice(files_of(folder, *_ENDINGS))
    payloads = _payloads(file)
    if payloads:
        _write(file, payloads + [draw.choice(payloads)] * draw.choice((100, 5_000)))
    return Damaged(folder, f"one record again and again in {file.name}")


def _damage(draw: random.Random, folder: Path, change: Callable[[random.Random, bytes], bytes], what: str) -> Damaged:
    file = draw.choice(files_of(folder, *_ENDINGS))
    payloads = _payloads(file)
    if payloads:
        for number in draw.sample(range(len(payloads)), min(len(payloads), draw.choice((1, 1, 3)))):
            payloads[number] = change(draw, payloads[number])
        _write(file, payloads)
    return Damaged(folder, f"{what} of {file.name}")


def _odd_record(draw: random.Random, payload: bytes) -> bytes:
    inner = next((payload[start:end] for _, kind, start, end in spans(payload, 0, len(payload)) if kind == BYTES), b"")
    deep = b""
    for _ in range(_DEPTH):
        deep = field(1, deep)
    return draw.choice(
        (
            field(draw.choice(_KINDS), inner),
            field(draw.choice(_KINDS), _odd_message(draw, inner)),
            varint(draw.choice(_KINDS) << 3 | VARINT) + varint(draw.choice(_HUGE)),
            varint(draw.choice(_KINDS) << 3 | BYTES) + varint(draw.choice(_HUGE)) + inner,
            field(draw.choice(_KINDS), deep),
            draw.randbytes(draw.randrange(200)),
            payload + payload,
            b"",
        )
    )


def _odd_message(draw: random.Random, message: bytes, depth: int = 0) -> bytes:
    """A message with one odd field, mostly at a deeper level."""
    try:
        found = list(spans(message, 0, len(message)))
    except WireError:
        return _odd_content(draw, message)
    if not found:
        return _odd_content(draw, message)
    number, kind, start, end = draw.choice(found)
    before = message[: _begin(found, start)]
    content = message[start:end]
    if kind == BYTES and depth < 8 and draw.random() < 0.7:
        return before + field(number, _odd_message(draw, content, depth + 1)) + message[end:]
    return before + _odd_field(draw, number, content) + message[end:]


def _begin(found: list[tuple[int, int, int, int]], start: int) -> int:
    """Where the field whose content starts here begins."""
    return max((end for _, _, _, end in found if end <= start), default=0)


def _odd_field(draw: random.Random, number: int, content: bytes) -> bytes:
    wire_type = draw.randrange(8)
    return draw.choice(
        (
            field(number, _odd_content(draw, content)),
            field(number, _odd_content(draw, content)),
            field(draw.choice(_KINDS), content),
            varint(number << 3 | wire_type) + content,
            varint(number << 3 | VARINT) + varint(draw.choice(_HUGE)),
            varint(number << 3 | VARINT) + b"\xff" * draw.choice((9, 20, 5_000)) + b"\x01",
            varint(number << 3 | BYTES) + varint(draw.choice(_HUGE)) + content,
            varint(number << 3 | 1) + draw.choice((b"\0\0\0\0\0\0\xf8\x7f", b"\xff" * 8, b"\0\0\0\0\0\0\xf0\xff")),
            b"",
        )
    )


def _odd_content(draw: random.Random, content: bytes) -> bytes:
    return draw.choice(
        (
            draw.choice(list(ODD_VALUES.values())).encode(),
            draw.randbytes(len(content) or 3),
            content * draw.choice((2, 500)),
            content[: len(content) // 2],
            b"\xff\xfe\xed\xa0\x80",
            b"",
        )
    )


def _payloads(file: Path) -> list[bytes]:
    if "tfevents" not in file.name:
        return list(WandbRecords(file, *([MAGIC] if file.suffix == ".swanlab" else [])).payloads())
    return event_records(file.read_bytes())


def _write(file: Path, payloads: list[bytes]) -> None:
    if "tfevents" in file.name:
        file.write_bytes(framed(payloads))
        return
    writer = (SwanlabWriter if file.suffix == ".swanlab" else WandbWriter)(file.parent / "written")
    writer.append(*payloads)
    writer.file.replace(file)
    writer.path.rmdir()


RECORDS: tuple[Damage, ...] = (*[odd_field] * 6, odd_record, odd_record, many_records)
