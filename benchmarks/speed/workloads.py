"""The workloads of the speed benchmark: tiny models with their tokenizers and prompts, written to a folder."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from trainer.tasks import get_task

PROMPTS = 512
LONGEST_PROMPT = 8
"""Words of a prompt of random words."""
PAD, NEVER = "<pad>", "<never>"


@dataclass(frozen=True, slots=True)
class Workload:
    """A model, its prompts and the batch shape.

    If `ends` is false no completion ends before `new_tokens`: the end token lies outside the model's vocabulary, so
    that every trainer generates and learns from exactly the same number of tokens.
    """

    name: str
    title: str
    batch: int
    group: int
    new_tokens: int
    ends: bool = False
    shortest_prompt: int = LONGEST_PROMPT
    """Words; the addition task has prompts of its own."""

    def write(self, folder: Path) -> None:
        """Write `model` (weights and tokenizer) and `prompts.jsonl`."""
        torch.manual_seed(0)
        prompts = _addition(folder / "model", self.ends) if self.name.startswith("addition") else _random(self, folder)
        (folder / "prompts.jsonl").write_text("".join(json.dumps({"prompt": prompt}) + "\n" for prompt in prompts))


WORKLOADS = (
    Workload("addition", "addition, 0.3M parameters, 64 x 26 tokens", 64, 8, 26),
    Workload("addition-ends", "addition, completions end by themselves", 64, 8, 26, ends=True),
    Workload("1M", "1M parameters, vocabulary 2048, 64 x 32 tokens", 64, 8, 32),
    Workload("1M-mixed", "1M parameters, 64 x 32 tokens after prompts of 3 to 8", 64, 8, 32, shortest_prompt=3),
    Workload("30M", "30M parameters, vocabulary 8192, 32 x 16 tokens", 32, 8, 16),
)
_SMALL = {"vocab_size": 2048, "hidden_size": 128, "intermediate_size": 344, "num_hidden_layers": 4}
_SHAPES = {
    "1M": _SMALL,
    "1M-mixed": _SMALL,
    "30M": {"vocab_size": 8192, "hidden_size": 512, "intermediate_size": 1376, "num_hidden_layers": 8},
}


def _addition(folder: Path, ends: bool) -> list[str]:
    """The demo task's own model; if not `ends`, its tokenizer gets an end token that the model cannot generate."""
    task = get_task("addition")
    model = AutoModelForCausalLM.from_pretrained(task.checkpoint, dtype=torch.float32)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(task.checkpoint)
    if not ends:
        tokenizer.add_special_tokens({"eos_token": NEVER})
        model.config.eos_token_id = model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return [str(row["prompt"]) for row in task.prompts(seed=0)[:PROMPTS]]


def _random(workload: Workload, folder: Path) -> list[str]:
    """A Llama with random weights and prompts of random words."""
    shape = _SHAPES[workload.name]
    words = [PAD, *(f"w{index}" for index in range(1, shape["vocab_size"])), NEVER]
    inner = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="w1"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token=PAD, eos_token=NEVER, padding_side="left")
    config = LlamaConfig(
        **shape,
        num_attention_heads=shape["hidden_size"] // 32,
        max_position_embeddings=128,
        tie_word_embeddings=True,
        pad_token_id=0,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    rng = random.Random(0)
    lengths = range(workload.shortest_prompt, LONGEST_PROMPT + 1)
    return [" ".join(rng.choices(words[1:-1], k=lengths[index % len(lengths)])) for index in range(PROMPTS)]
