"""`rlvitals schema`: the JSON Schema of what a command prints with `--format json`."""

from collections.abc import Sequence

from diagnostics.cli.command import CommandError, command_parser, did_you_mean, write_result
from diagnostics.language import _
from diagnostics.report.schemas import SCHEMAS, schema_text


def run(words: Sequence[str]) -> int:
    """Print one schema, or the names of all."""
    arguments = command_parser(
        "schema",
        _(
            "Print the JSON Schema of what a command prints with --format json; without NAME, the commands that "
            "have one."
        ),
        (
            "rlvitals schema diagnose",
            _("rlvitals schema error     what any command prints when it cannot do what was asked"),
        ),
    )
    arguments.add_argument("name", metavar="NAME", nargs="?", help=_("a command, or error"))
    given = arguments.parse_args(words)
    if given.name is None:
        write_result("\n".join(SCHEMAS))
        return 0
    if given.name not in SCHEMAS:
        hint = did_you_mean(given.name, SCHEMAS) or _("; rlvitals schema lists them")
        raise CommandError(_("no schema is called {name}{hint}").format(name=repr(given.name), hint=hint))
    write_result(schema_text(given.name))
    return 0
