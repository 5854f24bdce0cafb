"""The page of the trainers' options, with each algorithm's defaults."""

from collections.abc import Iterator, Mapping
from typing import Any

from docs.generate.markup import code, page, table
from trainer.config.algorithms import ALGORITHMS
from trainer.config.options import Option, Section, options_of

OPTIONS = """\
Every option of `rlvitals train`, as `--NAME VALUE` or in a file for `--config`. Names are TRL's wherever TRL has the
argument. `rlvitals train ALGORITHM --help` prints the same; [Train](../guide/train.md) tells how they go together.
The last columns hold the defaults of each algorithm.
"""

Options = Mapping[str, Option]


def options() -> str:
    """A table for each section of the Launch form."""
    by_algorithm = {name: _by_name(algorithm.config) for name, algorithm in ALGORITHMS.items()}
    names = {option.name: option for options in by_algorithm.values() for option in options.values()}
    return page("Training options", OPTIONS, *_sections(names, by_algorithm))


def _by_name(config: Any) -> Options:
    return {option.name: option for option in options_of(config)}


def _sections(names: Options, by_algorithm: Mapping[str, Options]) -> Iterator[str]:
    titles = ("Option", "What it does", *map(code, by_algorithm))
    for section in Section:
        rows = [
            (code(name), _option_meaning(option), *(_default(known.get(name)) for known in by_algorithm.values()))
            for name, option in names.items()
            if option.section is section
        ]
        if rows:
            yield f"## {section}"
            yield table(titles, rows)


def _option_meaning(option: Option) -> str:
    choices = f" One of {', '.join(map(str, option.choices))}." if option.choices else ""
    return f"{option.help}{choices}".replace("|", "\\|")


def _default(option: Option | None) -> str:
    """The default as a user would type it; empty if the algorithm has no such option."""
    if option is None:
        return ""
    if option.default is None or option.default in ("", ()):
        return "empty"
    if isinstance(option.default, tuple):
        return code(",".join(map(str, option.default)))
    return code(str(option.default).lower() if isinstance(option.default, bool) else str(option.default))
