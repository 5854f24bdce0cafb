"""LoRA adapters through peft: train an adapter and leave the model itself unchanged."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from transformers import PreTrainedModel

from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.config.options.model import ModelOptions, check_peft

ADAPTER_FILE = "adapter_config.json"
EVERY_LINEAR = "all-linear"


class AdapterOff(torch.nn.Module):
    """A policy with its adapter switched off, without a second copy of the model. For use without gradients."""

    def __init__(self, policy: PreTrainedModel) -> None:
        super().__init__()
        self.policy: Any = policy

    def forward(self, **inputs: Any) -> Any:
        """The base model's output."""
        with self.policy.disable_adapter():
            return self.policy(**inputs)


def with_adapter(model: PreTrainedModel, options: ModelOptions) -> PreTrainedModel:
    """The model, frozen, with a trainable adapter that initially changes nothing.

    Raises:
        ConfigError: peft is missing, or finds none of the target modules in the model.
    """
    check_peft("use_peft")
    from peft import LoraConfig, get_peft_model  # noqa: PLC0415 - an extra, and a second to import

    targets: list[str] | str | None = list(options.lora_target_modules) or None
    if targets == [EVERY_LINEAR]:
        targets = EVERY_LINEAR
    lora = LoraConfig(r=options.lora_r, lora_alpha=options.lora_alpha, target_modules=targets)
    try:
        with _without_future_warnings():
            adapted = cast(PreTrainedModel, get_peft_model(model, lora))
    except ValueError as error:
        raise ConfigError(
            told(
                "peft cannot put an adapter on {name}: {error}; name its modules in lora_target_modules, or "
                "write {every}",
                name=type(model).__name__,
                error=error,
                every=EVERY_LINEAR,
            )
        ) from error
    adapted.eval()
    return adapted


def is_adapter(name: str) -> bool:
    """Whether a folder contains an adapter instead of a whole model."""
    return (Path(name) / ADAPTER_FILE).is_file()


def merged_model(folder: str, load_base: Callable[[str], PreTrainedModel]) -> PreTrainedModel:
    """The model that an adapter was trained on, with the adapter merged into its weights.

    Raises:
        ConfigError: peft is missing.
    """
    check_peft(folder)
    from peft import PeftConfig, PeftModel  # noqa: PLC0415 - an extra, and a second to import

    base = load_base(PeftConfig.from_pretrained(folder).base_model_name_or_path)
    with _without_future_warnings():
        whole: PreTrainedModel = PeftModel.from_pretrained(base, folder).merge_and_unload()
    return whole


@contextmanager
def _without_future_warnings() -> Iterator[None]:
    """Silences transformers' FutureWarnings about names that peft still uses: users cannot do anything about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield
