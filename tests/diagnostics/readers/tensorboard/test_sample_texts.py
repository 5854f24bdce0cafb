"""Tests of samples logged to TensorBoard as text."""

from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.readers.tensorboard.reader import Reader

VERL = """**Generation Results - Step {step}**

### Sample 1
**Input:** 2+2=

**Output:** 4
it is

**Score:** 1.0

---

### Sample 2
**Input:** 2+3=

**Output:** 6

**Score:** nan
"""


def test_verls_generations_are_evaluation_samples_of_their_steps(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        for step in (5, 10):
            writer.add_text("val/generations", VERL.format(step=step), step)

    samples = Reader(tmp_path).refresh().samples

    assert samples.steps == (5, 10)
    assert [(row.query, row.response) for row in samples.at(10)] == [("2+2=", "4\nit is"), ("2+3=", "6")]
    assert (samples.at(5)[0].score, samples.at(5)[0].split) == (1.0, "eval")


def test_openrlhfs_text_is_shown_whole_with_its_reward(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_text("train/generated_samples", "Sample:\\nHuman: hi\nAssistant: hello\\n\\nReward: 0.5000", 3)

    (sample,) = Reader(tmp_path).refresh().samples.at(3)

    assert (sample.response, sample.score, sample.split) == ("Human: hi\nAssistant: hello", 0.5, "train")


def test_of_a_text_with_more_samples_than_the_bound_the_first_are_read(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_text("val/generations", VERL.format(step=5) * (SAMPLE_ROWS // 2 + 1), 5)

    recording = Reader(tmp_path).refresh()

    assert len(recording.samples.at(5)) == SAMPLE_ROWS
    assert "the first 10,000 completions of step 5 are read (of 10,002)" in recording.notes
