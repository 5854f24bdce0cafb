"""What a model's folder tells without loading the model: its size, dropout, special tokens and generation settings."""

import json
import math
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from diagnostics.foreign_files import open_regular
from diagnostics.foreign_files.documents import read_json
from diagnostics.model.setup import ModelFacts

CONFIG, GENERATION_CONFIG, WEIGHTS = "config.json", "generation_config.json", "*.safetensors"
_DROPOUTS = ("dropout", "_pdrop", "dropout_prob", "dropout_rate")
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
_NOT_OF_THE_POLICY = ("classifier", "summary")  # heads that a causal language model lacks
_SIZE = re.compile(r"(?<![\w.])(?P<count>\d+(?:\.\d+)?)(?P<unit>[bmBM])(?![a-zA-Z0-9])")
_UNITS = {"b": 1e9, "m": 1e6}
_LARGEST_HEADER = 100_000_000  # bytes; safetensors' own bound


def facts_of_folder(folder: Path) -> ModelFacts | None:
    """The facts of a model in a folder; None where it holds no config.json that can be read.

    They are read again when config.json has changed.
    """
    try:
        changed = (folder / CONFIG).stat().st_mtime_ns
    except (OSError, ValueError):
        return None
    return _read(folder, changed)


@lru_cache(maxsize=64)
def _read(folder: Path, changed: int) -> ModelFacts | None:
    config = _json(folder / CONFIG)
    if config is None:
        return None
    facts = facts_of_config(config)
    counted = sum(_parameters_of(path) for path in sorted(folder.glob(WEIGHTS)))
    return replace(facts, parameters=counted or facts.parameters, generation=_json(folder / GENERATION_CONFIG) or {})


def facts_of_config(config: Mapping[str, Any]) -> ModelFacts:
    """The facts that a model's configuration holds, as transformers also logs it among a run's arguments.

    The size is estimated from the dimensions: twelve hidden² a layer, or what the layer's parts add up to, plus the
    embeddings.
    """
    ends = config.get("eos_token_id")
    known_ends = map(_whole_number, ends if isinstance(ends, list) else [ends])
    return ModelFacts(
        parameters=_estimated_parameters(config),
        dropout=max(_dropouts(config), default=0.0) if "model_type" in config else None,
        experts=_experts(config) if "model_type" in config else None,
        pad_token_id=_whole_number(config.get("pad_token_id")),
        eos_token_ids=tuple(end for end in known_ends if end is not None),
    )


def size_in_name(name: str) -> float | None:
    """The parameters that a model's name promises: 5e8 for `Qwen2.5-0.5B`, 4.1e8 for `pythia-410m`; None without."""
    found = _SIZE.search(name)
    return float(found["count"]) * _UNITS[found["unit"].lower()] if found else None


def _estimated_parameters(config: Mapping[str, Any]) -> float | None:
    """None where a dimension is missing or is given layer by layer."""
    width = _whole_number(config.get("hidden_size", config.get("n_embd")))
    layers = _whole_number(config.get("num_hidden_layers", config.get("n_layer")))
    words, inner = _whole_number(config.get("vocab_size")), _whole_number(config.get("intermediate_size"))
    if not width or not layers or not words or min(width, layers, words) < 0:
        return None
    feed_forward = 8 * width * width if inner is None else 3 * width * inner  # gated, as in Llama and Qwen
    embeddings = words * width * (1 if config.get("tie_word_embeddings", True) else 2)
    return float(layers * (2 * width * width * (1 + _shared_heads(config)) + feed_forward) + embeddings)


def _shared_heads(config: Mapping[str, Any]) -> float:
    """Heads of keys and values for each head of queries."""
    heads, shared = _whole_number(config.get("num_attention_heads")), _whole_number(config.get("num_key_value_heads"))
    return shared / heads if heads and shared else 1.0


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _dropouts(config: Mapping[str, Any]) -> Iterator[float]:
    for name, value in config.items():
        of_policy = name.endswith(_DROPOUTS) and not name.startswith(_NOT_OF_THE_POLICY)
        if of_policy and isinstance(value, int | float) and not isinstance(value, bool):
            yield float(value)


def _experts(config: Mapping[str, Any]) -> int:
    """The experts of a layer, in the text part of a multimodal model too; 1 where nothing says that it is a mixture."""
    of_text = config.get("text_config")
    parts = (config, of_text) if isinstance(of_text, Mapping) else (config,)
    return max((_whole_number(part.get(name)) or 1 for part in parts for name in _EXPERTS), default=1)


def _parameters_of(path: Path) -> int:
    """The numbers in a safetensors file, counted from its header; 0 where it cannot be read."""
    try:
        with open_regular(path) as file:
            (size,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(size)) if size <= _LARGEST_HEADER else {}
    except (OSError, ValueError, struct.error):
        return 0
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")


def _json(path: Path) -> dict[str, Any] | None:
    try:
        found = read_json(path)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
