"""The models of the TRL corpus: tiny architectures taught each task in part."""

import fcntl
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from benchmarks.trl_runs.tasks.task import Problem, Task
from benchmarks.trl_side.corpus.scoring import greedy_scores, prompt_text
from benchmarks.trl_side.corpus.tokenization import make_tokenizer

POSITIONS = 256
UNFINISHED = ".unfinished"
_SEED = 1
_TEXTS = 4_000
_BATCH, _RATE, _CHECK_EVERY, _MOST_STEPS, _KNOWN = 64, 2e-3, 50, 400, 0.8
_IGNORED = -100
_CHECKED, _LAST_WORDS = 96, 3

_SHAPES: Mapping[str, Mapping[str, Any]] = {
    "gpt2": {"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": POSITIONS,
             "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0},
    "llama": {"model_type": "llama", "hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 2,
              "num_attention_heads": 4, "tie_word_embeddings": True},
    "qwen3": {"model_type": "qwen3", "hidden_size": 80, "intermediate_size": 256, "num_hidden_layers": 2,
              "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 20, "tie_word_embeddings": True},
    "gpt_neox": {"model_type": "gpt_neox", "hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2,
                 "num_attention_heads": 4},
    "gemma": {"model_type": "gemma", "hidden_size": 128, "intermediate_size": 512, "num_hidden_layers": 2,
              "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 32},
}  # fmt: skip


def model_folder(cache: Path, task: Task, architecture: str) -> Path:
    """The folder of the model taught this task; taught first, by one process, if the cache lacks it."""
    folder = cache / "models" / f"{task.name}-{architecture}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            unfinished = folder.with_name(folder.name + UNFINISHED)
            _make(unfinished, task, architecture)
            unfinished.rename(folder)
    return folder


def _make(folder: Path, task: Task, architecture: str) -> None:
    torch.manual_seed(_SEED)
    rng = random.Random(_SEED)
    problems = task.problems("train", _TEXTS, _SEED)
    of_all_kinds = [*problems, *task.problems("train", 400, 2, "hard"), *task.problems("train", 400, 2, "easy")]
    tokenizer = make_tokenizer(architecture, [text for p in of_all_kinds for text in (p.question, p.answer, p.slip)])
    config = AutoConfig.for_model(
        **{"max_position_embeddings": POSITIONS, **_SHAPES[architecture]},
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = AutoModelForCausalLM.from_config(config)
    examples = [_example(tokenizer, task, problem, rng) for problem in problems]
    scores = _teach(model, tokenizer, task, examples)
    model.generation_config = GenerationConfig(
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, bos_token_id=None
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "taught.json").write_text(json.dumps(scores), "utf-8")


def _teach(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, task: Task, examples: Sequence[tuple[list[int], int]]
) -> dict[str, float]:
    """Supervised training until nearly every greedy answer is right or the known mistake; says what it came to."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE)
    known = replace(task, score=_is_known)
    checked = task.problems("held-out", _CHECKED, 3)
    for step, batch in enumerate(_batches(examples), start=1):
        model.train()
        loss = _loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % _CHECK_EVERY == 0:
            scores = greedy_scores(model, tokenizer, known, checked, tokenizer.eos_token_id)
            if sum(scores) >= _KNOWN * len(scores) or step >= _MOST_STEPS:
                break
    score = sum(greedy_scores(model, tokenizer, task, checked, tokenizer.eos_token_id)) / len(checked)
    parameters = sum(weights.numel() for weights in model.parameters())
    return {"steps": step, "known": sum(scores) / len(scores), "score": score, "parameters": parameters}


def _is_known(problem: Problem, completion: str) -> float:
    """1 for an answer that supervised training could have shown; how a reply begins is free, how it ends is not."""
    ends = [text.split()[-_LAST_WORDS:] for text in (completion, problem.answer, problem.slip)]
    return float(ends[0] in ends[1:])


def _example(
    tokenizer: PreTrainedTokenizerFast, task: Task, problem: Problem, rng: random.Random
) -> tuple[list[int], int]:
    prompt = tokenizer(prompt_text(tokenizer, task, problem.question))["input_ids"]
    is_right = rng.random() < task.right_share(problem.question)
    answer = tokenizer(problem.answer if is_right else problem.slip)["input_ids"]
    return [*prompt, *answer, tokenizer.eos_token_id], len(prompt)


def _batches(examples: Sequence[tuple[list[int], int]]) -> Iterator[list[tuple[list[int], int]]]:
    rng = random.Random(_SEED)
    while True:
        yield rng.sample(examples, _BATCH)


def _loss(model: PreTrainedModel, batch: Sequence[tuple[list[int], int]]) -> torch.Tensor:
    # Padded on the right: a causal model never sees the padding from a real position, so that no mask is needed.
    longest = max(len(ids) for ids, _ in batch)
    ids_BT = torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in batch])
    labels_BT = torch.tensor(
        [[_IGNORED] * context + ids[context:] + [_IGNORED] * (longest - len(ids)) for ids, context in batch]
    )
    logits_BTV = model(input_ids=ids_BT).logits[:, :-1]
    return cross_entropy(logits_BTV.flatten(0, 1), labels_BT[:, 1:].flatten(), ignore_index=_IGNORED)
