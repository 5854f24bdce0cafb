"""TensorBoard's hparams plugin: the settings of a session, as `add_hparams` writes them.

Field numbers are those of `plugin_data.proto` and `struct.proto`.
"""

import struct
from typing import Any

from diagnostics.readers.files.protobuf import fields

PLUGIN = "hparams"
_SESSION_START = 3
_HPARAMS = 1
_KEY, _VALUE = 1, 2
_NUMBER, _STRING, _BOOL = 2, 3, 4
_DOUBLE = struct.Struct("<d")


def settings_of(content: bytes) -> dict[str, Any]:
    """The settings in a session start message; empty for other messages. Raises ValueError if malformed."""
    found: dict[str, Any] = {}
    try:
        for number, session in fields(content):
            if number == _SESSION_START and isinstance(session, bytes):
                entries = (entry for field, entry in fields(session) if field == _HPARAMS and isinstance(entry, bytes))
                found.update(_entry(entry) for entry in entries)
    except struct.error as error:
        raise ValueError(str(error)) from error
    return found


def _entry(entry: bytes) -> tuple[str, Any]:
    name, value = "", None
    for number, content in fields(entry):
        if number == _KEY and isinstance(content, bytes):
            name = content.decode(errors="replace")
        elif number == _VALUE and isinstance(content, bytes):
            value = _value(content)
    return name, value


def _value(message: bytes) -> Any:
    for number, content in fields(message):
        if number == _NUMBER and isinstance(content, bytes):
            (value,) = _DOUBLE.unpack(content)
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        if number == _STRING and isinstance(content, bytes):
            return content.decode(errors="replace")
        if number == _BOOL:
            return bool(content)
    return None
