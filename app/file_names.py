"""Names of files that every system takes: letters, digits, dots, hyphens and underscores."""

import re

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def file_name_of(text: str, otherwise: str) -> str:
    """The text as such a name, or as a part of one; what to call it otherwise, where nothing of it is left."""
    return _UNSAFE.sub("-", text).strip("-.") or otherwise
