"""Options of processes, precision and devices."""

from dataclasses import dataclass

from trainer.config.options import Section, options_under

option = options_under(Section.MACHINE)


@dataclass(frozen=True, kw_only=True)
class MachineOptions:
    """Processes, precision and devices."""

    num_processes: int = option(
        1,
        "Processes that train together on this machine, one for each GPU; each adds its batch to the step's.",
        minimum=1,
    )
    mixed_precision: str = option(
        "no", "Compute in bfloat16 or float16 with float32 weights.", choices=("no", "bf16", "fp16")
    )
    use_cpu: bool = option(False, "Train on the CPU even if there is an accelerator.")
    num_threads: int | None = option(None, "CPU threads of torch; empty: torch's choice.", minimum=1)
    acceleration: bool = option(
        True,
        "Faster layers, decoding, shared prompts and exchanges between processes, equal to rounding; false: "
        "everything as transformers and accelerate do it.",
    )
