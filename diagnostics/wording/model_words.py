"""The model's own words that people read as they are: the states of a run, severities, verdicts, kinds of things."""

from diagnostics.language import N_

STATES = (
    N_("queued"),
    N_("starting"),
    N_("running"),
    N_("finished"),
    N_("stopped"),
    N_("failed"),
    N_("died"),
    N_("silent"),
    N_("unknown"),
)
GRADES_OF_HARM = (
    N_("info"),
    N_("warning"),
    N_("critical"),
    N_("healthy"),
    N_("no-problem-found"),
    N_("not-rl"),
)
CONVERSATIONS = (N_("plain"), N_("thinking"), N_("tool-call"))
