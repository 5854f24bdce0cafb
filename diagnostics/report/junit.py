"""The verdict of a gate as JUnit XML, which every CI shows as tests: an unsure check is a skipped one."""

from xml.etree import ElementTree

from diagnostics.addresses import shown
from diagnostics.gate.verdict import Check, GateVerdict, State
from diagnostics.visible_text import one_line


def junit(verdict: GateVerdict) -> str:
    """A suite with a test case for each check."""
    counts = {
        "tests": str(len(verdict.checks)),
        "failures": str(len(verdict.of_state(State.FAILED))),
        "errors": "0",
        "skipped": str(len(verdict.of_state(State.UNSURE))),
    }
    root = ElementTree.Element("testsuites", {"name": "rlvitals gate", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "rlvitals gate", **counts})
    for check in verdict.checks:
        _add(suite, check)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _add(suite: ElementTree.Element, check: Check) -> None:
    of_run = f" of {shown(check.run)}" if check.run else ""
    names = {"classname": f"gate.{check.group.replace(' ', '-')}", "name": one_line(f"{check.name}{of_run}")}
    case = ElementTree.SubElement(suite, "testcase", names)
    message = {"message": one_line(check.message)}
    if check.state is State.FAILED:
        ElementTree.SubElement(case, "failure", {**message, "type": check.group})
    elif check.state is State.UNSURE:
        ElementTree.SubElement(case, "skipped", message)
    else:
        ElementTree.SubElement(case, "system-out").text = one_line(check.message)
