"""Loads the models of a training, for any transformers architecture, with or without an adapter.

Every model is in eval mode, even while it is trained: gradients still flow, and dropout, which would make the log-
probabilities of rollout and update differ, stays off.

Axes: B completions, S prompt and completion tokens, W width of a model's last layer.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.modeling_outputs import TokenClassifierOutput
from transformers.utils import logging as transformers_logging

from diagnostics.told import told
from trainer.acceleration.layer_replacement import with_faster_parts
from trainer.acceleration.parallel.split_state import weights_below
from trainer.config.local_or_hub import is_path
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.rollout.adapters import AdapterOff, is_adapter, merged_model, with_adapter
from trainer.tasks import get_task

VALUE_HEAD_FILE = "value_head.safetensors"

transformers_logging.disable_progress_bar()  # "Loading weights" bars of a fraction of a second would flood the console


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model's source, a folder or a hub id, and how to load it."""

    name: str
    revision: str = "main"
    dtype: str = "float32"
    attn_implementation: str | None = None
    trust_remote_code: bool = False
    acceleration: bool = True
    """Whether known parts of the model may be replaced by faster equivalents."""

    @property
    def origin(self) -> dict[str, Any]:
        """The `from_pretrained` arguments that locate a model or tokenizer."""
        return {"revision": self.revision, "trust_remote_code": self.trust_remote_code}

    @property
    def settings(self) -> dict[str, Any]:
        """The `from_pretrained` arguments that load a model; the precision applies whatever it was saved in."""
        dtype = self.dtype if self.dtype == "auto" else getattr(torch, self.dtype)
        attention = {"attn_implementation": self.attn_implementation} if self.attn_implementation else {}
        return {"dtype": dtype, **attention, **self.origin}


Source: TypeAlias = Checkpoint | str | Path


class ValueModel(torch.nn.Module):
    """A causal language model's body with one value per token, initially 0.

    `AutoModelForTokenClassification` would do the same, but lacks a head for many causal architectures.
    """

    def __init__(self, body: PreTrainedModel, head: torch.nn.Linear) -> None:
        super().__init__()
        self.body = body
        self.head = head

    @property
    def config(self) -> Any:
        """The body's configuration."""
        return self.body.config

    def forward(self, **inputs: Any) -> TokenClassifierOutput:
        """`logits` are the values, (B, S, 1)."""
        hidden_BSW: Tensor = self.body(**inputs).last_hidden_state
        return TokenClassifierOutput(logits=self.head(hidden_BSW.to(self.head.weight.dtype)))

    def save_pretrained(self, folder: str | Path, state_dict: Mapping[str, Tensor] | None = None) -> None:
        """Write a folder that `load_value_model` reads, with this model's weights or, if sharded, the given ones."""
        weights = self.state_dict() if state_dict is None else state_dict
        self.body.save_pretrained(folder, state_dict=weights_below(weights, "body"))
        save_file(weights_below(weights, "head"), Path(folder) / VALUE_HEAD_FILE)


def checkpoint_of(config: TrainConfig) -> Checkpoint:
    """The model that training starts from: the configured one, or the demo task's."""
    return Checkpoint(
        name=config.model_name_or_path or str(get_task(config.task).checkpoint),
        revision=config.model_revision,
        dtype=config.dtype,
        attn_implementation=config.attn_implementation,
        trust_remote_code=config.trust_remote_code,
        acceleration=config.acceleration,
    )


def trainable_policy(config: TrainConfig) -> PreTrainedModel:
    """The policy to train: the whole model, or an adapter on it."""
    return _trainable(load_policy(checkpoint_of(config)), config)


def reference_of(config: TrainConfig, policy: PreTrainedModel) -> torch.nn.Module:
    """The policy before training, frozen: a copy, or the policy with its adapter switched off."""
    return AdapterOff(policy) if config.use_peft else load_reference(checkpoint_of(config))


def trainable_value_model(config: TrainConfig) -> ValueModel:
    """A separate value model from the policy's checkpoint, with an adapter if the policy has one."""
    model = load_value_model(checkpoint_of(config))
    model.body = _trainable(model.body, config)
    return model


def load_policy(source: Source) -> PreTrainedModel:
    """A causal language model; for an adapter's folder, its model with the adapter merged in.

    Raises:
        ConfigError: The model cannot be found or loaded.
    """
    return _load(AutoModelForCausalLM, source)


def load_reference(source: Source) -> PreTrainedModel:
    """The same model, frozen."""
    model = load_policy(source)
    model.requires_grad_(False)
    return model


def load_value_model(source: Source) -> ValueModel:
    """A causal language model's body with a value head: the saved one, or else zeros."""
    saved = Path(_checkpoint(source).name) / VALUE_HEAD_FILE
    body = _load(AutoModel, source) if saved.is_file() else _body(source)
    with torch.no_grad():
        width = body(input_ids=torch.zeros(1, 1, dtype=torch.long), use_cache=False).last_hidden_state.shape[2]
    head = torch.nn.Linear(width, 1)
    if saved.is_file():
        head.load_state_dict(load_file(saved))
    else:
        torch.nn.init.zeros_(head.weight)
        torch.nn.init.zeros_(head.bias)
    return ValueModel(body, head).eval()


def load_classifier(source: Source) -> PreTrainedModel:
    """A sequence classifier, frozen."""
    model = _load(AutoModelForSequenceClassification, source)
    model.requires_grad_(False)
    return model


def load_tokenizer(source: Source) -> PreTrainedTokenizerBase:
    """A model's tokenizer, padding on the left; without a pad token it pads with the end token, since masks decide.

    Raises:
        ConfigError: The tokenizer cannot be found or loaded, or has neither a pad nor an end token.
    """
    checkpoint = _checkpoint(source)
    with _in_one_sentence(told("the tokenizer of"), checkpoint):
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            checkpoint.name, padding_side="left", **checkpoint.origin
        )
    if tokenizer.pad_token is None:
        if tokenizer.eos_token is None:
            raise ConfigError(
                told("the tokenizer of {name} has neither a pad nor an end token; give it one", name=checkpoint.name)
            )
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def _checkpoint(source: Source) -> Checkpoint:
    return source if isinstance(source, Checkpoint) else Checkpoint(str(source))


def _body(source: Source) -> PreTrainedModel:
    if is_adapter(_checkpoint(source).name):  # it was trained on the whole model, and fits only that
        return cast(PreTrainedModel, load_policy(source).base_model)
    return _load(AutoModel, source)


def _load(kind: Any, source: Source) -> PreTrainedModel:
    checkpoint = _checkpoint(source)
    with _in_one_sentence(told("the model"), checkpoint), _without_warnings():
        if is_adapter(checkpoint.name):
            model = merged_model(checkpoint.name, lambda base: kind.from_pretrained(base, **checkpoint.settings))
        else:
            model = kind.from_pretrained(checkpoint.name, **checkpoint.settings)
    model = cast(PreTrainedModel, model.eval())
    if not checkpoint.acceleration:
        return model
    return with_faster_parts(model, keeps_attention=checkpoint.attn_implementation is not None)


def _trainable(model: PreTrainedModel, config: TrainConfig) -> PreTrainedModel:
    trained = with_adapter(model, config) if config.use_peft else model
    if config.gradient_checkpointing:
        _recompute_activations(trained)
    return trained


def _recompute_activations(model: PreTrainedModel) -> None:
    """Enable gradient checkpointing, which needs train mode: the model is in train mode while gradients flow."""
    enable = getattr(model, "activation_checkpointing_enable", None) or model.gradient_checkpointing_enable  # until v6
    try:
        enable({"use_reentrant": False})
    except ValueError as error:
        raise ConfigError(told("this model does not support gradient_checkpointing: {error}", error=error)) from error
    for module in model.modules():  # train mode must not switch dropout on
        for name, value in vars(module).items():
            if isinstance(value, float) and ("drop" in name or isinstance(module, torch.nn.Dropout)):
                setattr(module, name, 0.0)
    model.register_forward_pre_hook(_train_where_gradients_flow)
    model.register_forward_hook(_back_to_eval, always_call=True)


def _train_where_gradients_flow(module: torch.nn.Module, inputs: Any) -> None:
    module.train(torch.is_grad_enabled())


def _back_to_eval(module: torch.nn.Module, inputs: Any, output: Any) -> None:
    module.eval()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Silence transformers' warnings about new or omitted heads: these are by design, and would appear every time."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)


def _as_clause(error: Exception) -> str:
    """An exception's message as part of a sentence."""
    if isinstance(error, json.JSONDecodeError):
        return told("one of its JSON files is broken or cut off ({error})", error=error)
    paragraph = str(error).strip().partition("\n\n")[0]
    return " ".join(paragraph.split()).rstrip(".") or type(error).__name__


@contextmanager
def _in_one_sentence(what: str, checkpoint: Checkpoint) -> Iterator[None]:
    """Turn `from_pretrained` errors into one sentence on what was tried and what works."""
    try:
        yield
    except ConfigError:
        raise
    except (OSError, ValueError, ImportError, KeyError) as error:
        reason = _as_clause(error)
        if is_path(checkpoint.name):
            raise ConfigError(
                told("{what} {name} cannot be loaded: {reason}", what=what, name=checkpoint.name, reason=reason)
            ) from error
        raise ConfigError(
            told(
                "{what} {name} (revision {revision}) cannot be loaded, neither from the Hugging Face hub nor "
                "from its local cache: {reason}; without a network give the folder that save_pretrained wrote",
                what=what,
                name=checkpoint.name,
                revision=checkpoint.revision,
                reason=reason,
            )
        ) from error
