"""The user's data folder: where rlvitals keeps what is its user's own and belongs to no run."""

import os
from pathlib import Path


def user_data_folder() -> Path:
    """`~/.local/share/rlvitals`; `XDG_DATA_HOME` moves it. It need not exist."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "rlvitals"
