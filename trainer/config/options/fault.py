"""Options of an injected fault."""

from dataclasses import dataclass

from trainer.config.options import Section, options_under
from trainer.faults import FAULTS

option = options_under(Section.FAULT)


@dataclass(frozen=True, kw_only=True)
class FaultOptions:
    """A named fault to inject, and when."""

    fault: str | None = option(
        None,
        "Sick on purpose: a fault to train with, to see what it looks like; --list_faults lists them.",
        choices=tuple(FAULTS),
    )
    fault_step: int = option(1, "Step from which the fault's values override all others.", minimum=1)
