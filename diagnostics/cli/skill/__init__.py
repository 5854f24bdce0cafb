"""`rlvitals skill`: the text that teaches a program's model to use rlvitals, to read or to install."""

from collections.abc import Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError, add_message_format, command_parser, write_message
from diagnostics.language import _

NAME = "rlvitals"
TEXT = Path(__file__).with_name("SKILL.md")


def run(words: Sequence[str]) -> int:
    """Install the skill below a folder, or print it."""
    arguments = command_parser(
        "skill",
        _(
            "Install the skill that teaches an assistant to use rlvitals as DIR/rlvitals/SKILL.md; "
            "without --to, print it."
        ),
        ("rlvitals skill --to .claude/skills", "rlvitals skill"),
    )
    arguments.add_argument("--to", metavar="DIR", type=Path, help=_("the folder of skills, made where it is missing"))
    arguments.add_argument("--force", action="store_true", help=_("replace the one that is there"))
    add_message_format(arguments)
    given = arguments.parse_args(words)
    text = TEXT.read_text("utf-8")
    if given.to is None:
        write_message(text.rstrip("\n"), given.format)
        return 0
    target = given.to / NAME / TEXT.name
    if (target.exists() or target.is_symlink()) and not given.force:
        raise CommandError(_("{file} is there already; replace it with --force").format(file=target))
    _write(target, text)
    write_message(_("{file} is written").format(file=target), given.format)
    return 0


def _write(target: Path, text: str) -> None:
    """Write the file; a link in its place is replaced, not what it leads to. Raises CommandError."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        sentence = _("cannot write {file}: {error}; name a folder that can be written")
        raise CommandError(sentence.format(file=target, error=error.strerror)) from error
