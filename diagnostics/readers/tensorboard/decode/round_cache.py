"""A cache of rounds: what was learned from one file serves all files that this process reads.

Runs of one project log the same tags. A cached round is only a guess about another file: every byte and checksum is
compared before a number is used.
"""

from diagnostics.readers.tensorboard.decode.field_offsets import Shape
from diagnostics.readers.tensorboard.decode.frames import (
    CHECKSUM_BYTES,
    FIRST_WINDOW_BYTES,
    HEADER_BYTES,
    LARGEST_RECORD,
    LARGEST_WINDOW_BYTES,
    Frames,
)
from diagnostics.readers.tensorboard.decode.record_layouts import Names, shape_and_names
from diagnostics.readers.tensorboard.decode.repeated_rounds import DecodedRounds, Round, learn_round

MOST_COLUMNS = 1 << 12  # kept at once, 5 KiB each
_NEAR = 16  # records, as many as an evaluation or a checkpoint inserts between rounds
_LONG_BYTES = 1 << 17  # of rounds; if interrupted sooner, learning them again costs more than it saves
_LARGEST_PATIENCE = 32

_Key = tuple[Shape, Names]


class KnownRounds:
    """Rounds, indexed by each of their columns."""

    def __init__(self) -> None:
        self._rounds: dict[_Key, tuple[Round, int]] = {}

    def add(self, found: Round) -> None:
        """Store a round, replacing what was known of its columns; drops all others if there are too many."""
        first = found.columns[0]
        if self._rounds.get((first.shape, first.names), (None, 0))[0] is found:
            return
        if len(self._rounds) + len(found.columns) > MOST_COLUMNS:
            self._rounds = {}
        self._rounds |= {(column.shape, column.names): (found, place) for place, column in enumerate(found.columns)}

    def with_column(self, key: _Key) -> tuple[Round, int] | None:
        """The round that contains such a record, and the record's position in it."""
        return self._rounds.get(key)


_OF_ALL_FILES = KnownRounds()


class Rounds:
    """The rounds of one file, and how much of it to read before trying to learn again."""

    def __init__(self) -> None:
        self.window = FIRST_WINDOW_BYTES
        self._round: Round | None = None
        self._own = KnownRounds()  # candidates; rounds that were followed are shared by all files
        self._wait, self._patience = 0, 1  # stretches between attempts, which become rare if none succeeds

    def decode_at(self, data: bytes, position: int) -> DecodedRounds | None:
        """The rounds that begin at a position; None if there are none or too few."""
        turns = self._round.decode_at(data, position) if self._round is not None else None
        if turns is None and (known := self._round_at(data, position)) is not None and known[1] == 0:
            self._round = known[0]
            turns = self._round.decode_at(data, position)
        if turns is not None and self._round is not None:
            _OF_ALL_FILES.add(self._round)
            if turns.end - position >= _LONG_BYTES:
                self.window, self._wait, self._patience = FIRST_WINDOW_BYTES, 0, 1
        return turns

    def next_start(self, data: bytes, position: int) -> int:
        """Where rounds worth following begin, within a few records or at the end of the current round.

        The position itself if there are none nearby.
        """
        place: int | None = position
        for _ in range(_NEAR):
            if place is None:
                break
            if (known := self._round_at(data, place)) is not None:
                found, index = known
                start = place + (found.remaining(index) if index else 0)
                return start if start < len(data) and found.is_at(data, start) else position
            place = end_of_record(data, place)
        return position

    def _round_at(self, data: bytes, position: int) -> tuple[Round, int] | None:
        """The known round that contains the record at a position, and the record's position in it."""
        end = end_of_record(data, position)
        key = shape_and_names(data[position + HEADER_BYTES : end - CHECKSUM_BYTES]) if end is not None else None
        return (self._own.with_column(key) or _OF_ALL_FILES.with_column(key)) if key is not None else None

    def learn_from(self, frames: Frames) -> None:
        """Look for a round in a stretch that was decoded in another way."""
        self.window = min(2 * self.window, LARGEST_WINDOW_BYTES)
        self._wait -= 1
        if self._wait < 0:
            self._round, self._own = learn_round(frames), KnownRounds()
            if self._round is not None:
                self._own.add(self._round)
            self._wait = self._patience
            self._patience = min(2 * self._patience, _LARGEST_PATIENCE)


def end_of_record(data: bytes, position: int) -> int | None:
    """Where the record at a position ends if its length is plausible; None if the data ends or the record is large."""
    size = int.from_bytes(data[position : position + 8], "little")
    end = position + HEADER_BYTES + size + CHECKSUM_BYTES
    return end if size < LARGEST_RECORD and end <= len(data) else None
