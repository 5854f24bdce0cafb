"""What a command says about foreign code that is not trusted yet: `--trust`, `--only_trusted`, or nothing."""

from collections.abc import Mapping
from enum import StrEnum

from diagnostics.told import told
from trainer.config.options import ConfigError


class Consent(StrEnum):
    """Whether code that is not trusted yet may run."""

    ASK = "ask"
    """Ask on a terminal, refuse elsewhere; what the user typed himself needs no question."""
    GIVEN = "trust"
    """Run it and remember it."""
    WITHHELD = "only_trusted"
    """Refuse it: a program gave the command, and nobody typed anything."""


FLAGS = (Consent.GIVEN.value, Consent.WITHHELD.value)


def consent_of(given: Mapping[str, str]) -> Consent:
    """The consent in the --name value pairs of a command.

    Raises:
        ConfigError: A flag has a value, or both are given.
    """
    flags = [flag for flag in FLAGS if flag in given]
    for flag in flags:
        if given[flag] != "true":
            raise ConfigError(told("--{flag} takes no value, but {given!r} follows it", flag=flag, given=given[flag]))
    if len(flags) > 1:
        raise ConfigError(
            told("--{one} and --{other} contradict each other; give one of them", one=flags[0], other=flags[1])
        )
    return Consent(flags[0]) if flags else Consent.ASK
