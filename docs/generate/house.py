"""The drawing of the house: its rooms, who imports whom, and the contracts that say who may."""


def design() -> str:
    return "# Design\n"
