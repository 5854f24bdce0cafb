"""Every task of the TRL corpus by name."""

from collections.abc import Mapping

from benchmarks.trl_runs.tasks import (
    bits,
    brackets,
    clock,
    coins,
    contains,
    counting,
    dates,
    fractions,
    helpdesk,
    letters,
    middle,
    plurals,
    records,
    replies,
    roman,
    routes,
    sorting,
    spelling,
    sums,
    translation,
    units,
    weekday,
    wishes,
)
from benchmarks.trl_runs.tasks.task import Task

TASKS: Mapping[str, Task] = {
    module.TASK.name: module.TASK
    for module in (
        brackets,
        middle,
        units,
        replies,
        translation,
        clock,
        counting,
        spelling,
        sorting,
        helpdesk,
        roman,
        records,
        coins,
        weekday,
        dates,
        letters,
        contains,
        sums,
        plurals,
        routes,
        wishes,
        fractions,
        bits,
    )
}
