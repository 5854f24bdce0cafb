"""The webhook channel: an alert as a JSON document, posted to an address."""

import json
import socket
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from diagnostics.alerts.alert import Alert
from diagnostics.alerts.alerts_file import Route
from diagnostics.alerts.channels.delivery import SECONDS, DeliveryError
from diagnostics.language import _

_BUSY = (429, 502, 503, 504)
_NOT_REACHED = (ConnectionRefusedError, socket.gaierror)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A receiver cannot send an alert, and the headers with it, on to somebody else."""

    def redirect_request(self, *request: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def deliver(alert: Alert, route: Route) -> None:
    """Post it. Raises DeliveryError."""
    headers = {"Content-Type": "application/json", "User-Agent": "rlvitals", **route.headers}
    request = urllib.request.Request(route.target, json.dumps(alert.document()).encode(), headers, method="POST")
    try:
        with _OPENER.open(request, timeout=SECONDS):
            return
    except urllib.error.HTTPError as error:
        error.close()
        raise DeliveryError(_("it answered {code}").format(code=error.code), surely=error.code in _BUSY) from error
    except (OSError, HTTPException, ValueError) as error:
        why = getattr(error, "reason", error)
        sentence = _("no answer ({error})").format(error=type(why).__name__)
        raise DeliveryError(sentence, surely=isinstance(why, _NOT_REACHED)) from error
