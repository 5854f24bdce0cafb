"""`rlvitals import`: brings a run of the W&B cloud, or logs from elsewhere, into a folder that every command reads."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError, add_message_format, command_parser, print_note, write_message
from diagnostics.fetch import remote_folder as remote
from diagnostics.fetch.wandb_cloud import Address, fetch
from diagnostics.language import _
from diagnostics.remote.error import FetchError
from diagnostics.told import reason

SECONDS_BETWEEN_LOOKS = 10.0


def run(words: Sequence[str]) -> int:
    """Fetch a W&B run whole, or copy the logs below another address; once, or again and again while they grow."""
    arguments = command_parser(
        "import",
        _(
            "Fetch a run from the W&B cloud, or the logs below any address, into a folder that every other command "
            "reads."
        ),
        (
            "rlvitals import wandb://ENTITY/PROJECT/RUN --to imported/a",
            "rlvitals import s3://bucket/runs/a --to imported/a --follow",
        ),
    )
    arguments.add_argument(
        "address",
        metavar="ADDRESS",
        help=_(
            "wandb://ENTITY/PROJECT/RUN, or that run's page; or a folder elsewhere, whose logs are copied without "
            "weights: s3://…, gs://…, hf://…, https://…, sftp://… and what else fsspec knows"
        ),
    )
    arguments.add_argument(
        "--to", metavar="DIR", type=Path, required=True, help=_("a new folder, or that of last time")
    )
    arguments.add_argument("--follow", action="store_true", help=_("copy what is new every ten seconds, until Ctrl-C"))
    add_message_format(arguments)
    given = arguments.parse_args(words)
    try:
        if Address.is_one(given.address):
            write_message(_fetch_wandb(given.address, given.to, is_followed=given.follow), given.format)
        else:
            for message in _copies(given.address, given.to, is_followed=given.follow):
                write_message(message, given.format)
    except FetchError as error:
        raise CommandError(reason(error)) from error
    return 0


def _fetch_wandb(address: str, folder: Path, *, is_followed: bool) -> str:
    if is_followed:
        raise FetchError(
            _("--follow is for folders; a run of W&B is fetched whole, and once more with the same command")
        )
    fetched = fetch(Address.of(address), folder, report_progress=print_note)
    if fetched.missing:
        print_note(
            _("rlvitals: W&B did not hand out {count} tables, the first is {first}").format(
                count=len(fetched.missing), first=fetched.missing[0]
            )
        )
    return _("{folder}: {rows} rows and {files} files; open it with: rlvitals diagnose {folder}").format(
        folder=folder, rows=f"{fetched.rows:,}", files=fetched.files
    )


def _copies(address: str, folder: Path, *, is_followed: bool) -> Iterator[str]:
    """What each copy brought, as it is made; without an end where the logs are followed."""
    copied = remote.copy(address, folder)
    left = _(", {count} files of weights left out").format(count=copied.left_out) if copied.left_out else ""
    yield _("{folder}: {files} files{left}; {changed} new or changed, {bytes} bytes asked for").format(
        folder=folder,
        files=f"{copied.files:,}",
        left=left,
        changed=f"{copied.changed:,}",
        bytes=f"{copied.bytes:,}",
    )
    yield _("open it with: rlvitals {folder}").format(folder=folder)
    while is_followed:
        time.sleep(SECONDS_BETWEEN_LOOKS)
        copied = remote.copy(address, folder)
        if copied.changed:
            yield _("{changed} files went on, {bytes} bytes").format(
                changed=f"{copied.changed:,}", bytes=f"{copied.bytes:,}"
            )
