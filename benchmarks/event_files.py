"""Event files in every layout that trainers write, for the readers' benchmark and tests; written without TensorBoard.

`LAYOUTS` maps a layout's name to a function from a number of steps to events; values are random, seeded and float32.
"""

import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from diagnostics.readers.tensorboard.decode.crc import masked_crc

FILE_NAME = "events.out.tfevents.1700000000.host.{process}.0"
START = 1.7e9
_EVAL_EVERY, _EVAL_TAGS = 50, 6
_HISTOGRAM_EVERY, _HISTOGRAMS, _BUCKETS = 10, 2, 30


def tags(count: int = 40) -> list[str]:
    """Names of varying lengths, like those of real trainers."""
    draw = random.Random(0)
    return [f"train/{index}_" + "".join(draw.choices("abcdefgh_", k=draw.randint(4, 22))) for index in range(count)]


def varint(number: int) -> bytes:
    """An unsigned varint; negative numbers are encoded as in int64 fields."""
    number, found = number & (1 << 64) - 1, b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def scalar(tag: str, value: float) -> bytes:
    """A summary value as torch's SummaryWriter writes it."""
    return field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))


def tensor(tag: str, value: float) -> bytes:
    """A summary value as TensorFlow 2 writes it: a zero-dimensional tensor, with its plugin."""
    content = b"\x08\x01\x12\x00" + field(5, struct.pack("<f", value))
    return field(1, field(1, tag.encode()) + field(8, content) + field(9, field(1, field(1, b"scalars"))))


def histogram(tag: str, draw: random.Random) -> bytes:
    """A summary value as torch's `add_histogram` writes it."""
    limits = sorted(draw.random() for _ in range(_BUCKETS))
    counts = [float(draw.randrange(100)) for _ in limits]
    ends = b"".join(bytes([9 + 8 * place]) + struct.pack("<d", number) for place, number in ((0, 0.0), (1, limits[-1])))
    packed = field(6, struct.pack(f"<{_BUCKETS}d", *limits)) + field(7, struct.pack(f"<{_BUCKETS}d", *counts))
    return field(1, field(1, tag.encode()) + field(5, ends + packed))


def event(step: int, time: float, *values: bytes) -> bytes:
    """An Event message."""
    steps = b"\x10" + varint(step) if step else b""
    return b"\x09" + struct.pack("<d", time) + steps + field(5, b"".join(values))


def regular(steps: int, first: int = 1) -> Iterator[bytes]:
    """The same forty tags at every step."""
    draw, names = random.Random(first), tags()
    for step in range(first, first + steps):
        for index, tag in enumerate(names):
            yield event(step, START + step + index * 1e-4, scalar(tag, draw.random()))


def eval_rows(steps: int) -> Iterator[bytes]:
    """Six more tags at regular intervals."""
    draw, names = random.Random(1), tags()
    for step in range(1, steps + 1):
        extra = [f"eval/{name}" for name in names[:_EVAL_TAGS]] if step % _EVAL_EVERY == 0 else []
        yield from (event(step, START + step, scalar(tag, draw.random())) for tag in names + extra)


def shuffled(steps: int) -> Iterator[bytes]:
    """All tags at every step, in a different order each time."""
    draw, names = random.Random(2), tags()
    for step in range(1, steps + 1):
        draw.shuffle(names)
        yield from (event(step, START + step, scalar(tag, draw.random())) for tag in names)


def irregular(steps: int) -> Iterator[bytes]:
    """A varying subset of the tags at every step."""
    draw, names = random.Random(3), tags(50)
    for step in range(1, steps + 1):
        chosen = (tag for tag in names if draw.random() < 0.8)
        yield from (event(step, START + step, scalar(tag, draw.random())) for tag in chosen)


def tensors(steps: int) -> Iterator[bytes]:
    """Scalars as tensors."""
    draw, names = random.Random(4), tags()
    for step in range(1, steps + 1):
        yield from (event(step, START + step, tensor(tag, draw.random())) for tag in names)


def one_record_per_step(steps: int) -> Iterator[bytes]:
    """All values of a step in one record."""
    draw, names = random.Random(5), tags()
    for step in range(1, steps + 1):
        yield event(step, START + step, *(scalar(tag, draw.random()) for tag in names))


def histograms(steps: int) -> Iterator[bytes]:
    """Two histograms at every tenth step."""
    draw, per_step = random.Random(6), len(tags())
    for number, payload in enumerate(regular(steps)):
        yield payload
        step, place = divmod(number, per_step)
        if place == 0 and step % _HISTOGRAM_EVERY == 0:
            yield from (event(step + 1, START + step, histogram(f"h/{h}", draw)) for h in range(_HISTOGRAMS))


LAYOUTS: dict[str, Callable[[int], Iterable[bytes]]] = {
    "regular": regular,
    "eval rows": eval_rows,
    "shuffled tags": shuffled,
    "irregular tags": irregular,
    "tensors": tensors,
    "several values in a record": one_record_per_step,
    "histograms": histograms,
}


def resumed(folder: Path, steps: int, restarts: int = 4) -> None:
    """Write a run that was stopped and resumed from an earlier step, one file per start."""
    each = steps // restarts
    for restart in range(restarts):
        write(folder, regular(each, 1 + restart * each - min(restart, 1) * each // 10), restart)


def write(folder: Path, payloads: Iterable[bytes], process: int = 0) -> Path:
    """Write an event file with these records to a folder; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE_NAME.format(process=process + 1).replace("1700000000", str(1700000000 + 100 * process))
    with file.open("wb") as out:
        out.write(framed([b"\x09" + struct.pack("<d", START) + field(3, b"brain.Event:2")]))
        waiting: list[bytes] = []
        for payload in payloads:
            waiting.append(payload)
            if len(waiting) == 10_000:
                out.write(framed(waiting))
                waiting.clear()
        out.write(framed(waiting))
    return file


def framed(payloads: Sequence[bytes]) -> bytes:
    """Records framed as in an event file, each between its length and its checksum."""
    parts: list[bytes] = []
    for payload in payloads:
        length = struct.pack("<Q", len(payload))
        parts += [length, struct.pack("<I", masked_crc(length)), payload, struct.pack("<I", masked_crc(payload))]
    return b"".join(parts)
