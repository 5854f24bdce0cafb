"""The command channel: a program of the user's, started without a shell, that reads an alert as JSON on its input."""

import json
import subprocess

from diagnostics.alerts.alert import Alert
from diagnostics.alerts.alerts_file import Route
from diagnostics.alerts.channels.delivery import SECONDS, DeliveryError
from diagnostics.language import _


def deliver(alert: Alert, route: Route) -> None:
    """Run the program; nothing of a run gets into its arguments. Raises DeliveryError."""
    try:
        done = subprocess.run(
            route.target,
            input=json.dumps(alert.document()).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DeliveryError(_("it had not ended after {seconds} s").format(seconds=f"{SECONDS:g}")) from error
    except OSError as error:
        raise DeliveryError(_("it could not be started: {error}").format(error=error.strerror)) from error
    if done.returncode:
        raise DeliveryError(_("it ended with {code}").format(code=done.returncode))
