"""`rlvitals import`: brings a run of the W&B cloud, or logs from elsewhere, into a folder that every command reads."""

import time
from collections.abc import Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError, command_parser, print_note, write_result
from diagnostics.fetch import remote_folder as remote
from diagnostics.fetch.error import FetchError
from diagnostics.fetch.wandb_cloud import Address, fetch
from diagnostics.told import reason

SECONDS_BETWEEN_LOOKS = 10.0


def run(words: Sequence[str]) -> int:
    """Fetch a W&B run whole, or copy the logs below another address; once, or again and again while they grow."""
    arguments = command_parser(
        "import",
        "Fetch a run from the W&B cloud, or the logs below any address, into a folder that every other command reads.",
        (
            "rlvitals import wandb://ENTITY/PROJECT/RUN --to imported/a",
            "rlvitals import s3://bucket/runs/a --to imported/a --follow",
        ),
    )
    arguments.add_argument(
        "address",
        metavar="ADDRESS",
        help="wandb://ENTITY/PROJECT/RUN, or that run's page; or a folder elsewhere, whose logs are copied without "
        "weights: s3://…, gs://…, hf://…, https://…, sftp://… and what else fsspec knows",
    )
    arguments.add_argument("--to", metavar="DIR", type=Path, required=True, help="a new folder, or that of last time")
    arguments.add_argument("--follow", action="store_true", help="copy what is new every ten seconds, until Ctrl-C")
    given = arguments.parse_args(words)
    try:
        if Address.is_one(given.address):
            _fetch_wandb(given.address, given.to, is_followed=given.follow)
        else:
            _copy(given.address, given.to, is_followed=given.follow)
    except FetchError as error:
        raise CommandError(reason(error)) from error
    return 0


def _fetch_wandb(address: str, folder: Path, *, is_followed: bool) -> None:
    if is_followed:
        raise FetchError("--follow is for folders; a run of W&B is fetched whole, and once more with the same command")
    fetched = fetch(Address.of(address), folder, report_progress=print_note)
    if fetched.missing:
        print_note(f"rlvitals: W&B did not hand out {len(fetched.missing)} tables, the first is {fetched.missing[0]}")
    write_result(f"{folder}: {fetched.rows:,} rows and {fetched.files} files; open it with: rlvitals diagnose {folder}")


def _copy(address: str, folder: Path, *, is_followed: bool) -> None:
    copied = remote.copy(address, folder)
    left = f", {copied.left_out} files of weights left out" if copied.left_out else ""
    write_result(
        f"{folder}: {copied.files:,} files{left}; {copied.changed:,} new or changed, {copied.bytes:,} bytes asked for"
    )
    write_result(f"open it with: rlvitals {folder}")
    while is_followed:
        time.sleep(SECONDS_BETWEEN_LOOKS)
        copied = remote.copy(address, folder)
        if copied.changed:
            write_result(f"{copied.changed:,} files went on, {copied.bytes:,} bytes")
