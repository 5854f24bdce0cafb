"""Trainers of TRL beside GRPO and RLOO with the DiagnosisCallback in them, run by TRL's Python.

python followed_apart.py MODEL FOLDER async-grpo|online-dpo|ppo STEPS

AsyncGRPO usually gets its samples from a vLLM server; here a thread of this process makes them, and no weights are
sent.
"""

import itertools
import queue
import sys
import threading
from collections.abc import Iterator

import numpy as np
import torch
from datasets import Dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedTokenizerBase,
)

import rlvitals

PROMPTS = [f"{one}+{two}=" for one in range(10, 18) for two in range(20, 28)]
GENERATIONS = 4
ANSWER = 3  # tokens


def brevity(completions: list[str], **columns: list[object]) -> list[float]:
    """The fewer characters, the better."""
    return [-float(len(text)) for text in completions]


class Worker:
    """Makes samples of the untrained policy, as a rollout worker does."""

    def __init__(self, model: str, tokenizer: PreTrainedTokenizerBase) -> None:
        self.rollout_buffer: queue.Queue[object] = queue.Queue(maxsize=64)
        self.metrics_queue: queue.Queue[object] = queue.Queue()
        self._policy = AutoModelForCausalLM.from_pretrained(model)
        self._tokenizer, self._version, self._ends = tokenizer, 0, threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin to make samples."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the thread: torch must not be left in the middle of a step."""
        self._ends.set()
        self._thread.join()

    def update_model_version(self, model_version: int) -> None:
        """Note which version is live."""
        self._version = model_version

    def check_health(self, stale_after_s: float) -> None:
        """It does not crash."""

    def _work(self) -> None:
        for group, prompt in enumerate(itertools.cycle(PROMPTS)):
            for sample in self._group(group, prompt):
                while not self._ends.is_set():
                    try:
                        self.rollout_buffer.put(sample, timeout=0.1)
                        break
                    except queue.Full:
                        continue
            if self._ends.is_set():
                return

    def _group(self, group: int, prompt: str) -> Iterator[object]:
        from trl.experimental.async_grpo.async_rollout_worker import RolloutSample  # noqa: PLC0415 - of the newest TRL

        ids = self._tokenizer(prompt, return_tensors="pt").input_ids.repeat(GENERATIONS, 1)
        with torch.no_grad():
            whole = self._policy.generate(ids, do_sample=True, min_new_tokens=ANSWER, max_new_tokens=ANSWER)
            logprobs = self._policy(whole).logits[:, :-1].log_softmax(-1).gather(2, whole[:, 1:, None])[..., 0]
        texts = self._tokenizer.batch_decode(whole[:, ids.shape[1] :])
        rewards = np.array(brevity(texts))
        for row, text in enumerate(texts):
            mask = np.r_[np.zeros(ids.shape[1]), np.ones(ANSWER)].astype(np.int64)
            yield RolloutSample(
                prompt=[{"role": "user", "content": prompt}],
                completion=[{"role": "assistant", "content": text}],
                input_ids=whole[row].numpy(),
                completion_mask=mask,
                old_log_probs=np.r_[0.0, logprobs[row].numpy()].astype(np.float32) * mask,
                advantage=float((rewards[row] - rewards.mean()) / (rewards.std() + 1e-4)),
                model_version=self._version,
                group_id=group,
                metrics={"reward": float(rewards[row]), "reward_std": float(rewards.std())},
            )


class NoTransfer:
    """Sends no weights."""

    def init_weight_transfer(self) -> None:
        """Nothing to set up."""

    def pause(self) -> None:
        """Nothing to pause."""

    def send_weights(self, iterator: Iterator[tuple[str, torch.Tensor]]) -> None:
        """Take the weights and leave them."""
        for _ in iterator:
            continue

    resume = destroy = init_weight_transfer


def main(model: str, folder: str, algorithm: str, steps: str) -> None:
    """Train for some steps."""
    tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
    rows = Dataset.from_list([{"prompt": prompt} for prompt in PROMPTS])
    shared = {
        "output_dir": folder,
        "report_to": "none",
        "logging_steps": 1,
        "save_strategy": "no",
        "max_steps": int(steps),
        "per_device_train_batch_size": 8,
        "use_cpu": True,
        "bf16": False,
        "disable_tqdm": True,
        "seed": 0,
    }
    callback = rlvitals.DiagnosisCallback()
    if algorithm == "async-grpo":
        from trl.experimental.async_grpo import (  # noqa: PLC0415 - of the newest TRL
            AsyncGRPOConfig,
            AsyncGRPOTrainer,
            async_grpo_trainer,
        )

        async_grpo_trainer.get_peak_flops_per_device = lambda *_: None  # it would ask CUDA, and the kernels need it
        async_grpo_trainer.TREE_ATTENTION = "sdpa"
        args = AsyncGRPOConfig(
            **shared, num_generations=GENERATIONS, max_completion_length=ANSWER, dtype="float32", token_budget=0
        )
        chats = Dataset.from_list([{"prompt": [{"role": "user", "content": prompt}]} for prompt in PROMPTS])
        apart = {"rollout_worker": Worker(model, tokenizer), "weight_transfer": NoTransfer()}
        trainer = AsyncGRPOTrainer(model, brevity, args, chats, tokenizer, callbacks=[callback], **apart)
    elif algorithm == "ppo":
        from trl.experimental.ppo import PPOConfig, PPOTrainer  # noqa: PLC0415 - of TRL up to 1.12

        del shared["max_steps"]
        episodes = shared["per_device_train_batch_size"] * int(steps)
        args = PPOConfig(
            **shared, total_episodes=episodes, response_length=ANSWER, num_ppo_epochs=1, num_mini_batches=1
        )
        tokens = [{"input_ids": tokenizer(prompt).input_ids} for prompt in PROMPTS]
        policy, reference = (AutoModelForCausalLM.from_pretrained(model) for _ in range(2))
        value, reward = (AutoModelForSequenceClassification.from_pretrained(model, num_labels=1) for _ in range(2))
        models = {"model": policy, "ref_model": reference, "reward_model": reward, "value_model": value}
        data = {"train_dataset": Dataset.from_list(tokens), "eval_dataset": Dataset.from_list(tokens[:8])}
        trainer = PPOTrainer(args=args, processing_class=tokenizer, **models, **data, callbacks=[callback])
    else:
        from trl.experimental.online_dpo import OnlineDPOConfig, OnlineDPOTrainer  # noqa: PLC0415 - as above

        args = OnlineDPOConfig(**shared, max_new_tokens=ANSWER)
        policy = AutoModelForCausalLM.from_pretrained(model)
        trainer = OnlineDPOTrainer(
            policy,
            reward_funcs=brevity,
            args=args,
            train_dataset=rows,
            processing_class=tokenizer,
            callbacks=[callback],
        )
    trainer.train()
    sys.stdout.write(f"ended at step {trainer.state.global_step}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
