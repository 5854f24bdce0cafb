"""Tests of samples logged to TensorBoard as text."""

from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

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
