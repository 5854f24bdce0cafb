"""Options of the training and held-out prompts."""

from dataclasses import dataclass
from typing import Any

from trainer.config.local_or_hub import DATASET_SUFFIXES, absolute_path, check_dataset
from trainer.config.options import Section, options_under

option = options_under(Section.MODEL_AND_DATA)
_evaluation = options_under(Section.EVALUATION)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """The dataset to train on, and the held-out rows."""

    dataset: str | None = option(
        None,
        "JSONL, CSV or parquet file with a column `prompt`, or what `datasets` loads (a folder, a hub id); its other "
        "columns go to the reward functions; empty: the task's.",
        main=True,
    )
    dataset_config: str | None = option(None, "Subset of a dataset on the hub; empty: its only one.")
    dataset_train_split: str = option("train", "Split to train on, of what `datasets` loads.")
    dataset_test_split: str = option("test", "Split kept out of training, of what `datasets` loads.")
    eval_dataset: str | None = _evaluation(
        None, "Rows kept out of training, named as `dataset` is; empty: the dataset's test split, or the task's."
    )
    max_prompt_length: int | None = option(None, "Longer prompts lose their first tokens; empty: no limit.", minimum=1)

    @property
    def has_held_out_prompts(self) -> bool:
        """Whether held-out prompts are guaranteed: the task's, or those of an eval_dataset."""
        return self.dataset is None or self.eval_dataset is not None

    def check_data(self) -> None:
        """Raise ConfigError if a dataset does not exist."""
        if self.dataset:
            check_dataset(self.dataset, "dataset")
        if self.eval_dataset:
            check_dataset(self.eval_dataset, "eval_dataset")

    def absolute_data(self) -> dict[str, Any]:
        """The options that hold paths, made absolute."""
        return {
            "dataset": self.dataset and absolute_path(self.dataset, DATASET_SUFFIXES),
            "eval_dataset": self.eval_dataset and absolute_path(self.eval_dataset, DATASET_SUFFIXES),
        }
