"""Options of the model to train."""

import importlib.util
from dataclasses import dataclass
from typing import Any

from diagnostics.told import told
from trainer.config.local_or_hub import absolute_path, check_model
from trainer.config.options import ConfigError, Section, options_under
from trainer.tasks import TASKS

option = options_under(Section.MODEL_AND_DATA)


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """A demo task's model or your own, its precision, and an optional LoRA adapter."""

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
        None, "Attention implementation, such as eager, sdpa or flash_attention_2; empty: transformers' choice."
    )
    trust_remote_code: bool = option(False, "Run custom code that comes with a model.")
    gradient_checkpointing: bool = option(False, "Recompute activations in the backward pass: less memory, more time.")
    use_peft: bool = option(False, "Train a LoRA adapter; the reference is the model with the adapter switched off.")
    lora_r: int = option(16, "Rank of the adapter.", minimum=1)
    lora_alpha: int = option(32, "The adapter's output is scaled by this divided by lora_r.", minimum=1)
    lora_dropout: float = option(0.0, "Must stay 0: with dropout, rollout and update would disagree.", minimum=0)
    lora_target_modules: tuple[str, ...] = option(
        (),
        "Modules that get an adapter, by the suffix of their names, or all-linear; empty: peft's choice for the model.",
    )

    def check_model(self) -> None:
        """Raise ConfigError if the model does not exist or the adapter would use dropout."""
        if self.model_name_or_path:
            check_model(self.model_name_or_path, "model_name_or_path")
        if self.lora_dropout:
            raise ConfigError(
                told(
                    "lora_dropout is {lora_dropout:g}, but has to be 0: with dropout the log-probabilities of "
                    "rollout and update would differ",
                    lora_dropout=self.lora_dropout,
                )
            )

    def absolute_model(self) -> dict[str, Any]:
        """The options that hold paths, made absolute."""
        return {"model_name_or_path": self.model_name_or_path and absolute_path(self.model_name_or_path)}


def check_peft(what: str) -> None:
    """Raise ConfigError if peft, which `what` needs, is not installed. Does not import it."""
    if importlib.util.find_spec("peft") is None:
        raise ConfigError(told("{what} needs peft; install it with: pip install 'rlvitals[peft]'", what=what))
