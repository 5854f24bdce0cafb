"""Protocol Buffers' wire format: the fields of a message, without its schema.

Source: protobuf.dev, "Encoding".
"""

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_BYTES = {FIXED64: 8, FIXED32: 4}


_MOST_BITS = 70  # ten bytes of seven


class WireError(ValueError):
    """Bytes that are not a message."""


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and contents in message order: an int for a varint, else the field's bytes.

    Raises WireError if a field is truncated or has an obsolete wire type.
    """
    position, end = 0, len(message)
    while position < end:
        key, position = varint(message, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            content, position = varint(message, position)
            yield number, content
            continue
        if wire_type == BYTES:
            size, position = varint(message, position)
        elif wire_type in _FIXED_BYTES:
            size = _FIXED_BYTES[wire_type]
        else:
            raise WireError(f"wire type {wire_type} at byte {position}")
        if position + size > end:
            raise WireError(f"field {number} runs over the end of its message")
        yield number, message[position : position + size]
        position += size


def varint(message: bytes, position: int) -> tuple[int, int]:
    """The unsigned varint at a position, and the position after it. Raises WireError if it is truncated."""
    value = shift = 0
    try:
        while (byte := message[position]) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            position += 1
            if shift > _MOST_BITS:
                raise WireError("a varint has more bits than Protocol Buffers allow")
    except IndexError as error:
        raise WireError("a varint has no end") from error
    return value | byte << shift, position + 1


def varints(packed: bytes) -> Iterator[int]:
    """The values of a packed repeated varint field."""
    position = 0
    while position < len(packed):
        value, position = varint(packed, position)
        yield value


def zigzag(value: int) -> int:
    """An unsigned varint decoded as an `sint64`, in which small negative numbers are short."""
    return (value >> 1) ^ -(value & 1)


def signed(value: int) -> int:
    """An unsigned 64-bit varint as an int64; higher bits are dropped, as Protocol Buffers does."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def spans(message: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields between two positions: number, wire type, and where the content begins and ends.

    Raises WireError as `fields` does.
    """
    position = start
    while position < end:
        key, position = varint(message, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            size = varint(message, position)[1] - position
        elif wire_type == BYTES:
            size, position = varint(message, position)
        elif wire_type in _FIXED_BYTES:
            size = _FIXED_BYTES[wire_type]
        else:
            raise WireError(f"wire type {wire_type} at byte {position}")
        if position + size > end:
            raise WireError(f"field {number} runs over the end of its message")
        yield number, wire_type, position, position + size
        position += size
