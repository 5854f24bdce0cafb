"""What the commands that print one table share."""

from collections.abc import Callable, Sequence

from diagnostics.cli.command import add_output, parser, style, write
from diagnostics.report.table_forms import Table


def print_table(words: Sequence[str], name: str, description: str, table: Callable[[], Table]) -> int:
    """Parse the options of a listing command and print its table."""
    arguments = parser(name, description, (f"rlvitals {name}", f"rlvitals {name} --format markdown"))
    add_output(arguments)
    given = arguments.parse_args(words)
    write(table().form(given.format, style(given.output)), given.output)
    return 0
