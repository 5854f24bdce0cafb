"""The framing of `.wandb` files: a header, then blocks of 32 KiB that hold records whole or in parts, each with a CRC.

The framing is LevelDB's log format with an unmasked CRC-32 (zlib's) of type and data, blocks counted from the start of
the file, and a header of seven bytes within the first block.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from diagnostics.readers.files.tail import Tail

MAGIC = b":W&B"
_HEADER_BYTES = 7  # of the file, and as many of each frame
_BLOCK_BYTES = 32768
_FRAME = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_TYPES = frozenset({_FULL, _FIRST, _MIDDLE, _LAST})
_NOTHING_WRITTEN = 0


class _Frame(NamedTuple):
    """A record or a part of one, and the place in the data where it ends."""

    kind: int
    part: bytes
    end: int


class WandbRecords:
    """Follows one `.wandb` file; holds back a record that has no end yet and goes on after a corrupt one.

    `malformed` counts corrupt stretches. After a record whose length cannot be trusted the rest of its block is left
    out, as LevelDB does. `magic` is what the file begins with: SwanLab frames its records as W&B does. `has_header` is
    False while the file is empty, and where it is of another kind.
    """

    def __init__(self, path: Path, magic: bytes = MAGIC) -> None:
        self.tail = Tail(path)
        self.malformed = 0
        self.has_header = False
        self._magic = magic
        self._data = b""  # read and not consumed yet
        self._position = 0  # of the first byte of `_data` in the file
        self._parts: list[bytes] | None = None

    @property
    def torn_bytes(self) -> int:
        """The length of what the file ends with and cannot be read yet, zeros left out."""
        return len(self._data.rstrip(b"\0")) + sum(map(len, self._parts or []))

    def payloads(self) -> Iterator[bytes]:
        """The records that were completed since the last call."""
        for chunk in self.tail.chunks():
            self._data += chunk
            yield from self._complete()

    def _complete(self) -> Iterator[bytes]:
        at = self._after_header()
        while (frame := self._frame(at)) is not None:
            kind, part, at = frame
            if kind == _FULL:
                yield part
            elif kind != _NOTHING_WRITTEN:
                yield from self._joined(kind, part)
        self._data, self._position = self._data[at:], self._position + at

    def _after_header(self) -> int:
        if self._position or len(self._data) < _HEADER_BYTES:
            return 0
        self.has_header = self._data.startswith(self._magic)
        return _HEADER_BYTES

    def _frame(self, at: int) -> _Frame | None:
        """The frame at a place in `_data`; None until all of it is there."""
        data, left = self._data, _BLOCK_BYTES - (self._position + at) % _BLOCK_BYTES
        if not self.has_header:
            return None
        if left < _HEADER_BYTES or len(data) - at < _HEADER_BYTES:
            return _nothing(at + left) if left < _HEADER_BYTES and len(data) - at >= left else None
        checksum, size, kind = _FRAME.unpack_from(data, at)
        end = at + _HEADER_BYTES + size
        if kind not in _TYPES or size > left - _HEADER_BYTES:
            if len(data) - at < left:
                return None
            if (checksum, size, kind) != (0, 0, _NOTHING_WRITTEN):  # zeros are room that was kept free
                self._lose()
            return _nothing(at + left)
        if end > len(data):
            return None
        if zlib.crc32(data[at + _HEADER_BYTES - 1 : end]) != checksum:
            self._lose()
            return _nothing(end)
        return _Frame(kind, data[at + _HEADER_BYTES : end], end)

    def _joined(self, kind: int, part: bytes) -> Iterator[bytes]:
        if kind == _FIRST:
            self._parts = [part]
        elif self._parts is not None:  # a part whose beginning was lost is lost with it
            self._parts.append(part)
            if kind == _LAST:
                yield b"".join(self._parts)
                self._parts = None

    def _lose(self) -> None:
        self.malformed += 1
        self._parts = None


def _nothing(end: int) -> _Frame:
    """Bytes that hold no record, up to a place."""
    return _Frame(_NOTHING_WRITTEN, b"", end)
