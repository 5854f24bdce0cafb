"""What the commands that print one table share."""

from collections.abc import Callable, Sequence

from diagnostics.cli.command import add_output, command_parser, output_style, write_result
from diagnostics.report.table_forms import Table


def print_table(words: Sequence[str], name: str, description: str, table: Callable[[], Table]) -> int:
    """Parse the options of a listing command and print its table."""
    arguments = command_parser(name, description, (f"rlvitals {name}", f"rlvitals {name} --format markdown"))
    add_output(arguments)
    given = arguments.parse_args(words)
    write_result(table().render(given.format, output_style(given.output)), given.output)
    return 0
