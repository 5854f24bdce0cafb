"""The alerts of a dashboard: a watcher over its folders, a process of its own, where there is an alerts file."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from diagnostics.alerts.alerts_file import users_file
from diagnostics.cli.packages import python_command
from diagnostics.language import current_language

_DEFAULT = (Path("runs"),)
_END_SECONDS = 5.0


@contextmanager
def alerts_over(paths: Sequence[Path], page: str) -> Iterator[None]:
    """Send alerts while inside, as the user's alerts file says; it is for them to say what is wrong with that file.

    The process ends with this one, however this one ends. `page` is the dashboard's address, without a token.
    """
    if not users_file().exists():
        yield
        return
    words = ("watch", *map(str, paths or _DEFAULT), "--page", page, "--format", "json", "--detached")
    words += ("--lang", current_language())  # JSON that nobody reads, and alerts for who started the dashboard
    process = subprocess.Popen(
        python_command("diagnostics.cli.end_with_parent", "diagnostics.cli", *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.wait()
        if process.stdin:
            process.stdin.close()
