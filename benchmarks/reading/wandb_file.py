"""Writes an offline W&B run as the client would, without the client, for the readers' benchmark."""

import json
import struct
import zlib
from pathlib import Path

from benchmarks.event_files import field, tags

KEYS = 40
_BLOCK_BYTES, _HEADER_BYTES = 32768, 7
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


def write(folder: Path, rows: int) -> None:
    """Write a run with rows of forty numbers."""
    folder = folder / "offline-run-20260101_000000-abc"
    folder.mkdir(parents=True)
    names, content = tags(KEYS), bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for row in range(rows):
        values = {"_step": row, **{name: row / (index + 3) for index, name in enumerate(names)}}
        items = (
            field(1, field(2, key.encode()) + field(16, json.dumps(value).encode())) for key, value in values.items()
        )
        _append(content, field(2, b"".join(items)))
    (folder / "run-abc.wandb").write_bytes(content)


def _append(content: bytearray, record: bytes) -> None:
    """Append a record in LevelDB's framing: split if it crosses the end of a block."""
    is_first = True
    while is_first or record:
        left = _BLOCK_BYTES - len(content) % _BLOCK_BYTES
        if left < _HEADER_BYTES:
            content += bytes(left)
            continue
        part, record = record[: left - _HEADER_BYTES], record[left - _HEADER_BYTES :]
        kind = (_FIRST if is_first else _MIDDLE) if record else (_WHOLE if is_first else _LAST)
        body = bytes([kind]) + part
        content += struct.pack("<IH", zlib.crc32(body), len(part)) + body
        is_first = False
