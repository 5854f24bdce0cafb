"""`rlvitals import`: fetches a run from the W&B cloud into a folder that every other command reads."""

from collections.abc import Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError, note, parser, write
from diagnostics.wandb_cloud import Address, FetchError, fetch


def run(words: Sequence[str]) -> int:
    """Fetch the whole history, the settings, the summary, the tables and a sample of the machine's metrics."""
    arguments = parser(
        "import",
        "Fetch a run from the W&B cloud into a folder that every other command reads.",
        ("rlvitals import wandb://ENTITY/PROJECT/RUN --to imported/a", "rlvitals diagnose imported/a"),
    )
    arguments.add_argument("address", metavar="wandb://ENTITY/PROJECT/RUN", help="or the address of the run's page")
    arguments.add_argument("--to", metavar="DIR", type=Path, required=True, help="a new folder for the run")
    given = arguments.parse_args(words)
    try:
        fetched = fetch(Address.of(given.address), given.to, told=note)
    except FetchError as error:
        raise CommandError(str(error)) from error
    if fetched.missing:
        note(f"rlvitals: W&B did not hand out {len(fetched.missing)} tables, the first is {fetched.missing[0]}")
    write(f"{given.to}: {fetched.rows:,} rows and {fetched.files} files; open it with: rlvitals diagnose {given.to}")
    return 0
