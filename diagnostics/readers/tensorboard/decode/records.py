"""Records: the framing of event files (TFRecord): length, checksum of the length, payload, checksum of the payload.

Little-endian; checksums are masked CRC-32C. The format is described in TensorFlow's `record_writer.h`.
"""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from diagnostics.foreign_files.bounds import RECORD_BYTES
from diagnostics.readers.files.tail import CHUNK_BYTES, Tail
from diagnostics.readers.tensorboard.decode.crc import masked_crc
from diagnostics.readers.tensorboard.decode.frames import CHECKSUM_BYTES, HEADER_BYTES, Frames, find_frames
from diagnostics.readers.tensorboard.decode.repeated_rounds import DecodedRounds
from diagnostics.readers.tensorboard.decode.round_cache import Rounds

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_LENGTH_BYTES = 8
_NOT_ZERO = re.compile(rb"[^\0]")
_UPPER_HALF_OF_LENGTH = bytes(4)  # zero in every record below 4 GiB
WORTH_A_STRETCH = 1 << 15  # bytes; fewer are read one at a time faster than the arrays are set up
_WORTH_KEEPING = 1 << 19  # bytes kept for the next chunk, because a stretch of their own would be short
_PATIENCE = 1 << 16  # bytes read one at a time after a position where no stretch begins


class Records:
    """Follows one event file; holds back an incomplete record and skips corrupt ones.

    `malformed` counts corrupt stretches. A record with a corrupt payload is skipped by its length; if the length itself
    is corrupt, reading resumes at the next valid header.
    """

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self.malformed = 0
        self.bytes_left = 0  # after the stretch returned last
        self._torn = b""
        self._is_lost = False
        self._rounds = Rounds()

    @property
    def torn_bytes(self) -> int:
        """The length of the incomplete last record."""
        return len(self._torn)

    def payloads(self) -> Iterator[bytes]:
        """The payloads completed since the last call, one at a time."""
        for chunk in self.tail.chunks():
            data, position = self._torn + chunk, 0
            while (step := self._step(data, position)) is not None:
                position, payload = step
                if payload is not None:
                    yield payload
            self._torn = data[position:]

    def stretches(self) -> Iterator[Frames | DecodedRounds | bytes]:
        """The same, but many records at once where a stretch is long and valid, and single payloads elsewhere."""
        kept = 0
        for chunk in self.tail.chunks():
            kept = _WORTH_KEEPING if len(chunk) == CHUNK_BYTES else 0
            yield from self._decode_chunk(self._torn + chunk, kept)
        if kept:
            yield from self._decode_chunk(self._torn, 0)

    def _decode_chunk(self, data: bytes, kept: int) -> Iterator[Frames | DecodedRounds | bytes]:
        """What the data contains; up to `kept` bytes at its end may be left for the next chunk."""
        position = single_until = 0
        patience = _PATIENCE
        while len(data) - position > kept:
            if position >= single_until and len(data) - position >= WORTH_A_STRETCH:
                turns = self._rounds.decode_at(data, position)
                if turns is None and (near := self._rounds.next_start(data, position)) > position:
                    single_until = near
                elif found := turns or self._valid_frames(data, position):
                    position, patience = found.end, _PATIENCE
                    self.bytes_left = len(data) - position + self.tail.unread
                    yield found
                    continue
                else:
                    single_until, patience = position + patience, min(2 * patience, CHUNK_BYTES)
            if (step := self._step(data, position)) is None:
                break
            position, payload = step
            if payload is not None:
                yield payload
        self._torn = data[position:]

    def _valid_frames(self, data: bytes, position: int) -> Frames | None:
        """The complete, valid records of a window, from which a round may be learned; None if there are none."""
        frames = find_frames(data, position, self._rounds.window)
        if not len(frames):
            return None
        self._rounds.learn_from(frames)
        return frames

    def _step(self, data: bytes, position: int) -> tuple[int, bytes | None] | None:
        """The position after one record, and its payload unless corrupt; None at the end of the data."""
        if len(data) - position < HEADER_BYTES:
            return None
        if not _is_header(data, position):
            return self._next_header(data, position + 1), None
        end = position + HEADER_BYTES + _HEADER.unpack_from(data, position)[0] + CHECKSUM_BYTES
        if end > len(data):
            return None
        payload = data[position + HEADER_BYTES : end - CHECKSUM_BYTES]
        if _CHECKSUM.unpack_from(data, end - CHECKSUM_BYTES)[0] != masked_crc(payload):
            self.malformed += 1
            return end, None
        return end, payload

    def _next_header(self, data: bytes, start: int) -> int:
        """The next valid header; if there is none, the last bytes, which may be the start of one."""
        self.malformed += not self._is_lost
        self._is_lost = True
        while (zeros := data.find(_UPPER_HALF_OF_LENGTH, start + len(_UPPER_HALF_OF_LENGTH))) >= 0:
            position = zeros - len(_UPPER_HALF_OF_LENGTH)
            if _is_header(data, position):
                self._is_lost = False
                return position
            start = max(position + 1, _end_of_zeros(data, position) - _LENGTH_BYTES)
        return max(start, len(data) - HEADER_BYTES + 1)


def _is_header(data: bytes, position: int) -> bool:
    header = data[position : position + HEADER_BYTES]
    if len(header) < HEADER_BYTES:
        return False
    size, checksum = _HEADER.unpack(header)
    return bool(size <= RECORD_BYTES) and checksum == masked_crc(header[:_LENGTH_BYTES])


def _end_of_zeros(data: bytes, position: int) -> int:
    """Where the zero bytes from a position on end; a header begins with no more of them than its length has bytes."""
    found = _NOT_ZERO.search(data, position)
    return found.start() if found else len(data)
