"""The framing of event files (TFRecord): length, checksum of the length, payload, checksum of the payload.

Little endian; the checksums are masked CRC-32C. The format is described in TensorFlow's `record_writer.h`.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

import google_crc32c

from diagnostics.readers.tail import Tail

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_FRAME_BYTES = _HEADER.size + _CHECKSUM.size
_MASK = 0xA282EAD8
_UPPER_HALF_OF_LENGTH = bytes(4)  # zero in every record below 4 GiB


class Records:
    """Follows one event file; holds back a record that has no end yet and finds its way past corrupt ones.

    `malformed` counts corrupt stretches. A record whose payload is corrupt is skipped by its length; where the length
    itself is corrupt, the next place that holds a valid header is looked for.
    """

    def __init__(self, path: Path) -> None:
        self.tail = Tail(path)
        self.malformed = 0
        self._torn = b""
        self._is_lost = False

    @property
    def torn_bytes(self) -> int:
        """The length of the unfinished last record."""
        return len(self._torn)

    def payloads(self) -> Iterator[bytes]:
        """The records that were completed since the last call."""
        for chunk in self.tail.chunks():
            data, position = self._torn + chunk, 0
            while len(data) - position >= _HEADER.size:
                if not _is_header(data, position):
                    position = self._next_header(data, position + 1)
                    continue
                end = position + _FRAME_BYTES + _HEADER.unpack_from(data, position)[0]
                if end > len(data):
                    break
                payload = data[position + _HEADER.size : end - _CHECKSUM.size]
                if _CHECKSUM.unpack_from(data, end - _CHECKSUM.size)[0] == masked_crc(payload):
                    yield payload
                else:
                    self.malformed += 1
                position = end
            self._torn = data[position:]

    def _next_header(self, data: bytes, start: int) -> int:
        """The next valid header; where there is none, the last bytes, which may be the beginning of one."""
        self.malformed += not self._is_lost
        self._is_lost = True
        while (zeros := data.find(_UPPER_HALF_OF_LENGTH, start + len(_UPPER_HALF_OF_LENGTH))) >= 0:
            position = zeros - len(_UPPER_HALF_OF_LENGTH)
            if _is_header(data, position):
                self._is_lost = False
                return position
            start = position + 1
        return max(start, len(data) - _HEADER.size + 1)


def _is_header(data: bytes, position: int) -> bool:
    header = data[position : position + _HEADER.size]
    return len(header) == _HEADER.size and _HEADER.unpack(header)[1] == masked_crc(header[:8])


def masked_crc(data: bytes) -> int:
    """CRC-32C, rotated and offset as event files store it."""
    crc: int = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF
