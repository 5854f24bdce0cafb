"""Mutations of a file's bytes, drawn from a seeded source; some deliberately keep checksums valid."""

import random
import re
import struct
from collections.abc import Callable
from pathlib import Path

from benchmarks.event_files import framed
from tests.fuzz.damage import Damaged, files_of

Mutation = Callable[[random.Random, bytes], bytes]

LARGEST_GROWTH = 1 << 12
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_ODD_TEXT = (
    *(b"NaN", b"-Infinity", b"1e999", b"null", b'""', b"[]", b"{}", b"true", b"-1", b"1e308", b"\xff\xfe", b"\\ud800"),
    *(str(number).encode() for number in (2**31, 2**63, -(2**63) - 1, 10**400)),
    *(b"[" * 2000, b'{"a":' * 2000, b'"' * 9, b",,,", b"\n\n", b"\0" * 8),
)
_ODD_BYTES = (b"\xff" * 8, b"\x00" * 8, b"\x80" * 12, b"\xff\xff\xff\xff\x0f", struct.pack("<Q", 1 << 40), b"\x7f" * 4)


def flip_bits(draw: random.Random, content: bytes) -> bytes:
    """Flip a few bits anywhere."""
    changed = bytearray(content)
    for _ in range(draw.randint(1, 8)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def truncate(draw: random.Random, content: bytes) -> bytes:
    """Cut off the end."""
    return content[: draw.randrange(len(content))]


def cut_out(draw: random.Random, content: bytes) -> bytes:
    """Remove a part."""
    start, end = _part(draw, content)
    return content[:start] + content[end:]


def repeat(draw: random.Random, content: bytes) -> bytes:
    """Repeat a part somewhere else."""
    start, end = _part(draw, content)
    place = draw.randrange(len(content))
    return content[:place] + content[start : min(end, start + LARGEST_GROWTH)] + content[place:]


def zero_out(draw: random.Random, content: bytes) -> bytes:
    """Zero a part, as if it was never written."""
    start, end = _part(draw, content)
    return content[:start] + bytes(end - start) + content[end:]


def insert_odd(draw: random.Random, content: bytes) -> bytes:
    """Insert, or overwrite with, something that often breaks parsers."""
    place, odd = draw.randrange(len(content)), draw.choice(_ODD_TEXT + _ODD_BYTES)
    return content[:place] + odd + content[place + draw.choice((0, len(odd))) :]


def replace_number(draw: random.Random, content: bytes) -> bytes:
    """Replace a number in text by something else."""
    found = list(_NUMBER.finditer(content[: 1 << 16]))
    if not found:
        return insert_odd(draw, content)
    start, end = draw.choice(found).span()
    return content[:start] + draw.choice(_ODD_TEXT) + content[end:]


def noise(draw: random.Random, content: bytes) -> bytes:
    """Replace the whole file by noise."""
    return draw.randbytes(draw.randrange(2000))


def change_records(draw: random.Random, content: bytes) -> bytes:
    """Change each record of an event file, with valid checksums."""
    records = event_records(content)[:200]
    changed = [draw.choice(MUTATIONS)(draw, record) if record and draw.random() < 0.2 else record for record in records]
    return framed(changed)


def event_records(content: bytes) -> list[bytes]:
    """The records of an intact event file."""
    records, place = list[bytes](), 0
    while place + 12 <= len(content):
        size = int.from_bytes(content[place : place + 8], "little")
        records.append(content[place + 12 : place + 12 + size])
        place += size + 16
    return records


MUTATIONS: tuple[Mutation, ...] = (flip_bits, truncate, cut_out, repeat, zero_out, insert_odd, replace_number)


def mutate(draw: random.Random, folder: Path) -> Damaged:
    """Damage one file of a run with one to three mutations."""
    file = draw.choice(files_of(folder))
    file.write_bytes(_mutated(draw, file.read_bytes(), "tfevents" in file.name))
    return Damaged(folder, f"bytes of {file.relative_to(folder)}")


def _mutated(draw: random.Random, content: bytes, is_event_file: bool) -> bytes:
    if is_event_file and draw.random() < 0.5:
        return change_records(draw, content)
    for _ in range(draw.randint(1, 3)):
        if not content:
            break
        content = noise(draw, content) if draw.random() < 0.02 else draw.choice(MUTATIONS)(draw, content)
    return content


def _part(draw: random.Random, content: bytes) -> tuple[int, int]:
    start = draw.randrange(len(content))
    return start, min(len(content), start + int(2 ** draw.uniform(0, 14)))
