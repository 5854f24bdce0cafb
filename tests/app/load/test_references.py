"""What may stand behind a run: quiet samples of its algorithm, one's own runs by names that tell them apart."""

from pathlib import Path

from app.load.references import references
from app.load.runs import close, snapshot_of
from diagnostics.boundary import Boundary
from diagnostics.runlog import RunLog
from diagnostics.runlog.parent import SAMPLE_RUNS


def write(folder: Path, algorithm: str) -> str:
    with RunLog(folder, algorithm=algorithm) as log:
        log.log(1, {"reward": 1.0})
    return str(folder)


def test_runs_are_told_apart_and_those_known_to_be_of_another_algorithm_are_left_out(tmp_path: Path) -> None:
    one, other = (write(tmp_path / seed / "trl", "grpo") for seed in ("seed-1", "seed-2"))
    theirs = write(tmp_path / "theirs", "ppo")
    boundary = Boundary.around((tmp_path, SAMPLE_RUNS))

    found = {item.words: item.path for item in references("grpo", boundary, [])}
    assert list(found) == ["healthy-grpo (sample)", "seed-1/trl", "seed-2/trl", "theirs"]
    assert list(found.values())[1:] == [one, other, theirs]

    snapshot_of(theirs, boundary)
    assert [item.words for item in references("grpo", boundary, [one])] == ["healthy-grpo (sample)", "trl"]
    close(theirs)
