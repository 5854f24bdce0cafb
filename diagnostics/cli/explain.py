"""`rlvitals explain`: all that is known about a rule, a cause or a metric, whichever name or code it is given by."""

from collections.abc import Sequence

from diagnostics.catalogue import known_names, pages_about
from diagnostics.cli.command import CommandError, add_output, command_parser, did_you_mean, output_style, write_result
from diagnostics.language import _
from diagnostics.report.entries import pages_form


def run(words: Sequence[str]) -> int:
    """Print every entry of the catalogues that has the name."""
    arguments = command_parser(
        "explain",
        _("Explain a rule, a cause or a metric: what it means, what is healthy, what to try, and the source."),
        ("rlvitals explain kl-negative", "rlvitals explain drastic-updates", "rlvitals explain objective/rlhf_reward"),
    )
    arguments.add_argument(
        "name", metavar="NAME", help=_("a rule or its code, a cause, a metric, or what a trainer calls a metric")
    )
    add_output(arguments)
    given = arguments.parse_args(words)
    pages = pages_about(given.name)
    if not pages:
        hint = did_you_mean(given.name, known_names()) or _("; {commands} list the names").format(
            commands="'rlvitals rules', 'causes' and 'metrics'"
        )
        sentence = _("there is no rule, cause or metric called {name}{hint}")
        raise CommandError(sentence.format(name=repr(given.name), hint=hint))
    write_result(pages_form(pages, given.format, output_style(given.output)), given.output)
    return 0
