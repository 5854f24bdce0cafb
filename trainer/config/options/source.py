"""The options that say what a training is about: a task, or models, data and rewards of its own; no torch here."""

import importlib.util
from dataclasses import dataclass
from typing import Any

from trainer.config.options import ConfigError, option
from trainer.data.sources import DATASET_SUFFIXES, absolute, check_dataset, check_model
from trainer.rewards import absolute_name
from trainer.tasks import TASKS


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Where prompts, models and rewards come from."""

    task: str = option(
        "remarks", "Demo task: its prompts, tiny model and rewards need no download.", choices=tuple(TASKS), main=True
    )
    model_name_or_path: str | None = option(
        None,
        "Causal language model to train: a folder (config, weights, tokenizer) or a hub id; empty: the task's own.",
        main=True,
    )
    model_revision: str = option("main", "Branch, tag or commit of a model on the hub.")
    dtype: str = option(
        "float32",
        "Precision of the weights; training in less than float32 loses small updates. auto: as they were saved.",
        choices=("auto", "float32", "bfloat16", "float16"),
    )
    attn_implementation: str | None = option(
        None, "Attention of the model, such as eager, sdpa or flash_attention_2; empty: what transformers takes."
    )
    trust_remote_code: bool = option(False, "Run the code that a model brings along.")
    gradient_checkpointing: bool = option(False, "Recompute activations in the backward pass: less memory, more time.")
    use_peft: bool = option(False, "Train a LoRA adapter; the reference is the model with the adapter switched off.")
    lora_r: int = option(16, "Rank of the adapter.", minimum=1)
    lora_alpha: int = option(32, "The adapter's output is scaled by this divided by lora_r.", minimum=1)
    lora_dropout: float = option(0.0, "Has to stay 0: no dropout, since rollout and update must agree.", minimum=0)
    lora_target_modules: tuple[str, ...] = option(
        (), "Modules that get an adapter, by the end of their names, or all-linear; empty: peft's choice for the model."
    )
    dataset: str | None = option(
        None,
        "JSONL, CSV or parquet file with a column `prompt`, or what `datasets` loads (a folder, a hub id); its other "
        "columns go to the reward functions; empty: the task's.",
        main=True,
    )
    dataset_config: str | None = option(None, "Subset of a dataset on the hub; empty: its only one.")
    dataset_train_split: str = option("train", "Split to train on, of what `datasets` loads.")
    dataset_test_split: str = option("test", "Split kept out of training, of what `datasets` loads.")
    eval_dataset: str | None = option(
        None, "Rows kept out of training, named as `dataset` is; empty: the dataset's test split, or the task's."
    )
    max_prompt_length: int | None = option(None, "Longer prompts lose their first tokens; empty: no limit.", minimum=1)
    reward_funcs: tuple[str, ...] = option(
        (), "Reward functions: built-in names, or path/to/file.py:function; empty: the task's own.", main=True
    )
    reward_weights: tuple[float, ...] = option((), "One weight for each reward function; empty: 1 each.")

    def check_sources(self) -> None:
        """Raise ConfigError where something is named that is not there, or where the options contradict each other."""
        if self.model_name_or_path:
            check_model(self.model_name_or_path, "model_name_or_path")
        if self.dataset:
            check_dataset(self.dataset, "dataset")
        if self.eval_dataset:
            check_dataset(self.eval_dataset, "eval_dataset")
        if self.lora_dropout:
            raise ConfigError(
                f"lora_dropout is {self.lora_dropout:g}, but has to be 0: with dropout the log-probabilities of "
                "rollout and update would differ"
            )
        if self.reward_weights and self.reward_funcs and len(self.reward_weights) != len(self.reward_funcs):
            raise ConfigError(
                f"reward_weights has {len(self.reward_weights)} values for {len(self.reward_funcs)} reward_funcs; "
                "give one for each"
            )

    def absolute_sources(self) -> dict[str, Any]:
        """The options that hold paths, made absolute: what a stored configuration means from every folder."""
        return {
            "model_name_or_path": self.model_name_or_path and absolute(self.model_name_or_path),
            "dataset": self.dataset and absolute(self.dataset, DATASET_SUFFIXES),
            "eval_dataset": self.eval_dataset and absolute(self.eval_dataset, DATASET_SUFFIXES),
            "reward_funcs": tuple(absolute_name(name) for name in self.reward_funcs),
        }


def check_peft(what: str) -> None:
    """Raise ConfigError where peft, which an option or a folder needs, is not installed; nothing is imported."""
    if importlib.util.find_spec("peft") is None:
        raise ConfigError(f"{what} needs peft; install it with: pip install 'rlvitals[peft]'")
