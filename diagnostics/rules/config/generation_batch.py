"""The answers of one generation, counted from the settings."""

from diagnostics.model.setup import Setup


def generated_at_once(setup: Setup) -> tuple[float | None, bool]:
    """Answers of one generation, and whether all processes are in it; None where it is not known."""
    if whole := setup.number("generation_batch_size"):
        return whole, True
    device = setup.number("per_device_train_batch_size")
    steps = setup.number("steps_per_generation") or setup.number("gradient_accumulation_steps") or 1.0
    processes = setup.number("num_processes")
    return (device * steps * (processes or 1.0) if device else None), processes is not None
