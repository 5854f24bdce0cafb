"""Tiny causal language models with random weights, one for each architectural difference that matters to a decoder."""

import torch
from transformers import CONFIG_MAPPING, AutoModelForCausalLM, PreTrainedModel

VOCABULARY, EOS, PAD = 12, 1, 0
_PLAIN = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
}
_GROUPED = {**_PLAIN, "num_key_value_heads": 2, "head_dim": 8}
_OLD = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64}
_STATES = {"hidden_size": 16, "num_hidden_layers": 2, "state_size": 4}

SHAPES = {
    "llama": ("llama", _GROUPED),
    "mistral": ("mistral", {**_GROUPED, "sliding_window": None}),
    "qwen2": ("qwen2", _GROUPED),
    "qwen3": ("qwen3", _GROUPED),
    "gpt2": ("gpt2", _OLD),
    "gpt_neox": ("gpt_neox", _PLAIN),
    "opt": ("opt", {**_PLAIN, "ffn_dim": 32, "word_embed_proj_dim": 16}),
    "windowed-mistral": ("mistral", {**_GROUPED, "sliding_window": 4}),
    "gemma2": ("gemma2", {**_GROUPED, "sliding_window": 4}),
    "bloom-without-positions": ("bloom", {"hidden_size": 16, "n_layer": 2, "n_head": 2}),
    "mixture-of-experts": ("mixtral", {**_GROUPED, "num_local_experts": 2}),
    "recurrent": ("mamba", _STATES),
    "recurrent-2": ("mamba2", {**_STATES, "num_heads": 4, "head_dim": 8, "n_groups": 1}),
    "hybrid": ("lfm2", {**_GROUPED, "layer_types": ["conv", "full_attention"]}),
    "without-a-cache": ("openai-gpt", _OLD),
}
FUSABLE = ("llama", "mistral", "qwen2")


def tiny_model(name: str, **changes: object) -> PreTrainedModel:
    """The model of this name in SHAPES, identical on every call."""
    torch.manual_seed(0)
    kind, shape = SHAPES[name]
    config = CONFIG_MAPPING[kind](vocab_size=VOCABULARY, **{**shape, **changes})
    return AutoModelForCausalLM.from_config(config).eval()


def grouped_prompts(groups: int, size: int, padded: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Prompts of five tokens, or of one to five padded on the left, each in `size` consecutive rows."""
    ids_BQ = torch.randint(2, VOCABULARY, (groups, 5), generator=torch.Generator().manual_seed(1))
    mask_BQ = torch.arange(5) >= torch.arange(groups).unsqueeze(1) % 5 * int(padded)
    ids_BQ = torch.where(mask_BQ, ids_BQ, PAD)
    return ids_BQ.repeat_interleave(size, 0), mask_BQ.long().repeat_interleave(size, 0)


def uniforms(rows: int) -> torch.Tensor:
    """The randomness of a rollout of up to 32 tokens."""
    return torch.rand(rows, 32, generator=torch.Generator().manual_seed(2))
