"""The tables of `make parity` and `make speed` in the README: `python -m benchmarks.quoted` puts today's there.

Between `<!-- NAME:begin -->` and `<!-- NAME:end -->` stands what the committed page of results says, headings apart.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
README, RESULTS = ROOT / "README.md", ROOT / "benchmarks" / "results"
_ON_PURPOSE = "differ on purpose"


def speed_tables(page: str) -> Iterator[str]:
    """Every table, its heading in bold."""
    for heading, lines in _sections(page):
        if table := [line for line in lines if line.startswith("|")]:
            yield from ("", f"**{heading}**", "", *table)


def parity_tables(page: str) -> Iterator[str]:
    """Of identical rollouts: what was compared and how far apart both sides are, and why where they mean to be."""
    for heading, lines in _sections(page):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
        if _ON_PURPOSE in heading:
            yield from ("", f"**{heading}**", "", "| metric | reason | left under one definition |", "|---|---|---:|")
            yield from (f"| {row[0]} | {row[4]} | {row[5]} |" for row in rows[1:])
        elif "identical rollouts" in heading:
            yield from ("", f"**{heading}**", "", "| metric | compared | difference | |", "|---|---:|---:|---|")
            yield from (f"| {row[0]} | {row[1]} | {row[4]} | {row[5]} |" for row in rows[1:])


QUOTED: dict[str, tuple[str, Callable[[str], Iterator[str]]]] = {
    "parity": ("trl_parity.md", parity_tables),
    "speed": ("trainer_speed.md", speed_tables),
}


def with_tables(readme: str) -> str:
    """The README with the tables of the committed results. Raises LookupError where it marks no place for them."""
    for name, (file, tables) in QUOTED.items():
        marked = re.compile(rf"(<!-- {name}:begin -->\n).*?(\n<!-- {name}:end -->)", re.DOTALL)
        if not marked.search(readme):
            raise LookupError(f"README.md marks no place for the tables of {name}")
        text = "\n".join(tables((RESULTS / file).read_text("utf-8")))
        readme = marked.sub(lambda found, text=text: f"{found[1]}{text}\n{found[2]}", readme)
    return readme


def _sections(page: str) -> Iterator[tuple[str, list[str]]]:
    """Each heading below the title, and the lines under it."""
    for part in re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]:
        heading, *lines = part.splitlines()
        yield heading, lines


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text("utf-8")), "utf-8")
