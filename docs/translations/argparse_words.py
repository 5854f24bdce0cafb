"""What argparse itself says to whoever types a command, in the versions of Python that rlvitals runs on."""

WORDS = (
    "usage: ",
    "positional arguments",
    "options",
    "show this help message and exit",
    "%(heading)s:",
    "%(prog)s: error: %(message)s\n",
    "argument %(argument_name)s: %(message)s",
    "ambiguous option: %(option)s could match %(matches)s",
    "can't open '%(filename)s': %(error)s",
    "expected at least one argument",
    "expected at most one argument",
    "expected one argument",
    "ignored explicit argument %r",
    "invalid %(type)s value: %(value)r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "invalid choice: %(value)r, maybe you meant %(suggestion)r? (choose from %(choices)s)",
    "not allowed with argument %s",
    "one of the arguments %s is required",
    "the following arguments are required: %s",
    "unexpected option string: %s",
    "unknown parser %(parser_name)r (choices: %(choices)s)",
    "unrecognized arguments: %s",
)
PLURALS = (("expected %s argument", "expected %s arguments"),)
"""Of these it has a form for one, and one for several."""

OF_PROGRAMMERS = (
    ".__call__() not defined",
    "%r is not callable",
    "'required' is an invalid argument for positionals",
    'argument "-" with mode %r',
    "cannot have multiple subparser arguments",
    "cannot merge actions - two groups are named %r",
    "conflicting option string: %s",
    "conflicting subparser alias: %s",
    "conflicting subparser: %s",
    "dest= is required for options like %r",
    "invalid conflict_resolution value: %r",
    "invalid option string %(option)r: must start with a character %(prefix_chars)r",
    "mutually exclusive arguments must be optional",
)
"""What only a mistake in our own code would bring up, which stays English."""
