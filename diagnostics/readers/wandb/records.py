"""The framing of `.wandb` files: a header, then blocks of 32 KiB that hold records whole or in parts, each with a CRC.

This is LevelDB's log format with an unmasked CRC-32 (zlib's) of type and data, blocks counted from the start of the
file, and a header of seven bytes within the first block.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from diagnostics.foreign_files.bounds import RECORD_BYTES
from diagnostics.readers.files.tail import Tail

MAGIC = b":W&B"
_HEADER_BYTES = 7  # of the file, and also of each frame
_BLOCK_BYTES = 32768
_FRAME = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_TYPES = frozenset({_FULL, _FIRST, _MIDDLE, _LAST})
_NOTHING_WRITTEN = 0
_MOST_PARTS = RECORD_BYTES // _BLOCK_BYTES


class _Frame(NamedTuple):
    """A record or part of one, and its end offset in the data."""

    kind: int
    part: bytes
    end: int


class WandbRecords:
    """Follows one `.wandb` file; holds back an incomplete record and skips corrupt ones.

    `malformed` counts corrupt stretches. After a record whose length cannot be trusted, the rest of its block is
    skipped, as LevelDB does. `magic` is the file's first bytes: SwanLab uses the same framing. `has_header` is False
    while the file is empty, or if it is of another kind.
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
        """The length of the incomplete end of the file, without zeros."""
        return len(self._data.rstrip(b"\0")) + sum(map(len, self._parts or []))

    def payloads(self) -> Iterator[bytes]:
        """The records completed since the last call."""
        for chunk in self.tail.chunks():
            self._data += chunk
            yield from self._complete()
            if not self.has_header and len(self._data) >= _HEADER_BYTES:  # of another kind: nothing here is a record
                self._data = self._data[:_HEADER_BYTES]
                return

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
        """The frame at an offset in `_data`; None until it is complete."""
        data, left = self._data, _BLOCK_BYTES - (self._position + at) % _BLOCK_BYTES
        if not self.has_header:
            return None
        if left < _HEADER_BYTES or len(data) - at < _HEADER_BYTES:
            return _empty_frame(at + left) if left < _HEADER_BYTES and len(data) - at >= left else None
        checksum, size, kind = _FRAME.unpack_from(data, at)
        end = at + _HEADER_BYTES + size
        if kind not in _TYPES or size > left - _HEADER_BYTES:
            if len(data) - at < left:
                return None
            if (checksum, size, kind) != (0, 0, _NOTHING_WRITTEN):  # zeros are preallocated space
                self._drop_partial()
            return _empty_frame(at + left)
        if end > len(data):
            return None
        if zlib.crc32(data[at + _HEADER_BYTES - 1 : end]) != checksum:
            self._drop_partial()
            return _empty_frame(end)
        return _Frame(kind, data[at + _HEADER_BYTES : end], end)

    def _joined(self, kind: int, part: bytes) -> Iterator[bytes]:
        if kind == _FIRST:
            self._parts = [part]
        elif self._parts is not None:  # a part is lost if its beginning was
            self._parts.append(part)
            if len(self._parts) > _MOST_PARTS:
                self._drop_partial()
            elif kind == _LAST:
                yield b"".join(self._parts)
                self._parts = None

    def _drop_partial(self) -> None:
        self.malformed += 1
        self._parts = None


def _empty_frame(end: int) -> _Frame:
    """Bytes without a record, up to an offset."""
    return _Frame(_NOTHING_WRITTEN, b"", end)
