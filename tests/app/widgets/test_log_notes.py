"""Notes on the log: what is said when a diagnosis is older than the data."""

from pathlib import Path

from app.widgets.log_notes import diagnosed_at
from diagnostics.api import diagnose, open_run
from diagnostics.runlog import RunLog


def test_a_diagnosis_older_than_the_data_names_its_step(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1240, {"reward": 1.0})
        diagnosis = diagnose(open_run(tmp_path / "a"))
        log.log(1250, {"reward": 1.0})
    assert diagnosed_at(open_run(tmp_path / "a"), diagnosis) == "diagnosed at step 1,240"
    assert diagnosed_at(diagnosis.run, diagnosis) == ""
