"""The pages of the detection benchmark's results: what each is about, and the parts of the corpus that it shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.detecting.cells import Part, cells
from benchmarks.detecting.report import part_page
from benchmarks.detecting.scores import Result

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "detection.jsonl"
DOCS = ROOT / "docs" / "benchmarks"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of tables; its file bears the name of the results, followed by `suffix`."""

    parts: tuple[Part, ...]
    introduction: str
    suffix: str = ""

    def text(self, results: Sequence[Result]) -> str:
        """The Markdown tables of the results, part by part."""
        by_part = {part: [result for result in results if result["cell"]["part"] == part] for part in self.parts}
        tables = (part_page(part, found, len(cells(part))) for part, found in by_part.items() if found)
        return "\n".join([self.introduction, *tables])

    def file(self, results: Path = RESULTS) -> Path:
        """Where the page of a file of results lies: in the documentation, for another file beside it."""
        return (DOCS if results == RESULTS else results.parent) / f"{results.stem}{self.suffix}.md"


FAULTS_PAGE = Page(
    parts=("measured", "known", "tune"),
    introduction="""\
# How well it finds things

Faults are switched on in trainings of the bundled trainer, from the start or at a random step, and the diagnosis is
compared with the committed truth (`benchmarks/detecting/expected.toml`). A fault is found when a right rule fires at
warning or above after the onset, seen while the run grows; its cause is judged at the end of the run. Intervals hold
95 %. Limits and causes are chosen on the tune part (`benchmarks/detecting/corpus.toml`). Of the measured part nothing
was known when the rules, causes and fixes that judged it were last changed; the known part was measured before, and
looked at since. Written by

    python -m benchmarks.detection
""",
)
ENGINE_PAGE = Page(
    parts=("engine",),
    suffix="-engine",
    introduction="""\
# How well it finds what is wrong between engine and trainer

GRPO trains with a rollout engine apart from the trainer (`--rollout_engine separate`), each seed with one of TRL's four
importance-sampling corrections. Faults of the engine are switched on from the start or at a random step: weights that
never arrive, weights that are eight steps old and not corrected for, weights in float8, sampling with top_p = 0.8, text
that is tokenised again instead of the ids of the tokens. In the healthy controls the engine is in step, one or four
updates old and corrected for, or in bfloat16: what documents call sound (`benchmarks/detecting/corpus.toml`). What is
right is committed (`benchmarks/detecting/expected.toml`), and counted as [for the other faults](detection.md). While
the rules were made, runs of other seeds were looked at; of these seeds nothing was known when what the rules say of an
engine was last changed. Written by

    python -m benchmarks.detection --part engine
""",
)
PAGES = (FAULTS_PAGE, ENGINE_PAGE)
