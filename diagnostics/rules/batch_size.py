"""How many answers a step of PPO holds, as far as a run's configuration says; end tokens are counted against it."""

from diagnostics.model.run import Run


def answers_per_step(run: Run) -> int | None:
    """Answers that one process generates in a step; None where the configuration does not say."""
    local = run.settings.value("local_batch_size")
    if isinstance(local, int) and local > 0:
        return local
    batch, passes = (
        run.settings.value(name) for name in ("per_device_train_batch_size", "gradient_accumulation_steps")
    )
    return batch * passes if isinstance(batch, int) and isinstance(passes, int) else None


def most_answers(run: Run) -> int | None:
    """The most answers that one process may generate in a step: TRL's PPO up to 0.16 multiplies by mini-batches."""
    answers, parts = answers_per_step(run), run.settings.value("num_mini_batches")
    return answers * max(parts, 1) if answers and isinstance(parts, int) else answers
