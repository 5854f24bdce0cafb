"""`rlvitals evaluate`: win rates on held-out prompts, computed in the trainer's process and printed here."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.cli.command import BAD_INPUT, Parser, add_output, output_style, write_result
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.cli.train import hand_over
from diagnostics.language import N_, VARIABLES, _, current_language
from diagnostics.report.markdown_elements import escaped
from diagnostics.report.strict_json import to_json
from diagnostics.report.table_forms import Table
from diagnostics.visible_text import one_line

_HELP = frozenset({"-h", "--help"})
_REFUSED = N_("the win rates could not be computed; the reason stands on stderr")
_COLUMNS = {
    "policy": N_("Policy"),
    "against": N_("Against"),
    "rate": N_("Win rate"),
    "interval": N_("95 % interval"),
    "wins": N_("Wins"),
    "ties": N_("Ties"),
    "losses": N_("Losses"),
    "identical": N_("Identical"),
    "judged": N_("Judged"),
    "inconsistent": N_("Inconsistent"),
    "unjudged": N_("Unjudged"),
}


def run(words: Sequence[str]) -> int:
    """0, or the trainer's exit code where the evaluation could not be made; the reason is on stderr."""
    check_not_hidden("trainer")
    if _HELP & set(words):
        hand_over("evaluate", "--help")
    own = Parser("rlvitals evaluate", add_help=False, allow_abbrev=False)
    add_output(own)
    given, rest = own.parse_known_args(words)
    process = subprocess.run(
        python_command("trainer.main", "evaluate", *rest),
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        env={**os.environ, VARIABLES[0]: current_language()},
        check=False,
    )
    if process.returncode:
        if given.format == "json":
            write_result(to_json({"error": _(_REFUSED)}))
        return process.returncode if process.returncode > 0 else BAD_INPUT
    found = json.loads(process.stdout)
    if given.format == "json":
        write_result(to_json(found), given.output)
    else:
        columns = {name: _(column) for name, column in _COLUMNS.items()}
        table = Table("results", columns, [_row(result) for result in found["results"]])
        summary = "\n".join(map(escaped if given.format == "markdown" else one_line, _summary(found)))
        write_result(f"{summary}\n\n{table.render(given.format, output_style(given.output))}", given.output)
    return 0


def _row(result: Mapping[str, Any]) -> dict[str, Any]:
    judged = result["judged"] > 0
    return {
        **result,
        "rate": f"{result['win_rate']:.1%}" if judged else "",
        "interval": _("{low} to {high}").format(low=f"{result['low']:.1%}", high=f"{result['high']:.1%}")
        if judged
        else "",
    }


def _summary(found: Mapping[str, Any]) -> list[str]:
    sampled = _("greedy")
    if found["temperature"]:
        words = _("sampled at temperature {temperature}, seed {seed}")
        sampled = words.format(temperature=f"{found['temperature']:g}", seed=found["seed"])
    lines = [
        _of_prompts(is_verified=found["is_verified"]).format(
            run=found["run"],
            checkpoint=found["checkpoint"],
            count=found["prompts"],
            sampled=sampled,
            judge=found["judge"],
        ),
        _(
            "A tie counts as half a win. Where the judge sees the order, each pair is judged in both, and a verdict "
            "that changes with it is inconsistent: a tie. Identical answers are ties that no judge was asked about."
        ),
    ]
    if found["reference"]:
        lines.insert(1, _("The dataset's answers: {reference}.").format(reference=found["reference"]))
    if found["left_out"]:
        words = _("Prompts left out, since they stand in the training rows as well: {count}.")
        lines.insert(1, words.format(count=found["left_out"]))
    return lines


def _of_prompts(*, is_verified: bool) -> str:
    """The sentence about how the answers came about, with places for its values."""
    if is_verified:
        return _("{run}, checkpoint {checkpoint}: {count} held-out prompts, answers {sampled}, judged by {judge}.")
    return _(
        "{run}, checkpoint {checkpoint}: {count} prompts, which may have been trained on, answers {sampled}, "
        "judged by {judge}."
    )
