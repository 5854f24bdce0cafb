"""The apprise channel: Slack, Discord, e-mail and whatever else the library apprise knows (`rlvitals[alerts]`)."""

import re

from diagnostics.alerts.alert import Alert
from diagnostics.alerts.alerts_file import Route
from diagnostics.alerts.channels.delivery import DeliveryError
from diagnostics.language import _

LONGEST = 1800
"""Characters of a message: Discord takes 2000."""
_ACTIVE = re.compile(r"[@<>`*_~|\[\]\\]|://")
_HARMLESS = {"@": "(at)", "<": "‹", ">": "›", "`": "'", "*": "∗", "_": "＿", "~": "∼", "|": "¦", "[": "(", "]": ")",
             "\\": "∖", "://": ":∕∕"}  # fmt: skip


def harmless(text: str) -> str:
    """Text without what a chat or a mail acts on: mentions of everybody, markup, and names that become links."""
    return _ACTIVE.sub(lambda found: _HARMLESS.get(found[0], found[0]), text)


def deliver(alert: Alert, route: Route) -> None:
    """Send it. Raises DeliveryError."""
    try:
        import apprise  # noqa: PLC0415 - an optional library, which takes a second to import
    except ImportError as error:
        raise DeliveryError(_("it needs apprise; run: pip install 'rlvitals[alerts]'")) from error
    sender = apprise.Apprise()
    if not sender.add(route.target):
        raise DeliveryError(_("apprise does not know such an address"))
    if not sender.notify(title=harmless(alert.title), body=body(alert), body_format=apprise.NotifyFormat.TEXT):
        raise DeliveryError(_("apprise could not deliver it"))


def body(alert: Alert) -> str:
    """The lines of an alert, bounded; the page's address, which is the user's own, stays a link at their end."""
    page = f"\n{alert.page}" if alert.page else ""
    lines = [line for line in alert.lines() if line != alert.page]
    return harmless("\n".join(lines))[: LONGEST - len(page)] + page
