"""`rlvitals stop`: asks a training to write a checkpoint and end."""

from collections.abc import Sequence
from pathlib import Path

from diagnostics.cli.command import command_parser
from diagnostics.cli.packages import check_not_hidden
from diagnostics.cli.train import hand_over
from diagnostics.language import _


def run(words: Sequence[str]) -> int:
    """Hand over to the trainer, which knows whether the run's process lives and is on this machine."""
    arguments = command_parser(
        "stop", _("Write a checkpoint, then end a training that rlvitals started."), ("rlvitals stop runs/a",)
    )
    arguments.add_argument("run", metavar="RUN", type=Path, help=_("the run's folder"))
    given = arguments.parse_args(words)
    check_not_hidden("trainer")
    hand_over("stop", str(given.run))
