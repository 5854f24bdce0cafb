"""The page that a request gets which carries no token: what to do, and a field to paste the token into."""

from html import escape
from urllib.parse import urlencode

from app.access.policy import TOKEN, Parameters, TokenNeeded
from diagnostics.language import N_, _, language_tag

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rlvitals</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
  main {{ max-width: 34rem; margin: 20vh auto 0; padding: 0 1rem; }}
  h1 {{ font-size: 1.25rem; }}
  form {{ display: flex; gap: 0.5rem; }}
  input, button {{ font: inherit; padding: 0.4rem 0.7rem; }}
  input {{ flex: 1; min-width: 0; }}
</style>
</head>
<body>
<main>
<h1>{sentence}</h1>
<p>{instruction}</p>
<form method="get">
{hidden}<input type="password" name="{token}" aria-label="{label}" autocomplete="off" required autofocus>
<button>{button}</button>
</form>
{link}</main>
</body>
</html>
"""
_HIDDEN = '<input type="hidden" name="{name}" value="{value}">\n'
_LINK = """<p>{sentence}
<a href="?{query}">{words}</a></p>
"""

_INSTRUCTION = N_("Open the address that {command} printed in its terminal, or paste the token that stands in it:")


def sign_in_page(needed: TokenNeeded) -> str:
    """The page as HTML; it keeps the address that was asked for and tells nothing of what the dashboard shows."""
    return _PAGE.format(
        lang=language_tag(),
        sentence=escape(_(needed.sentence)),
        instruction=escape(_(_INSTRUCTION)).format(command="<code>rlvitals</code>"),
        label=escape(_("Token")),
        button=escape(_("Open")),
        hidden=_hidden(needed.parameters),
        token=TOKEN,
        link=_link(needed.parameters) if needed.came_by_link else "",
    )


def _link(parameters: Parameters) -> str:
    return _LINK.format(
        sentence=escape(_("If this browser has opened it before: a link from another site cannot carry its cookie.")),
        query=escape(urlencode(parameters)),
        words=escape(_("Go on to the page.")),
    )


def _hidden(parameters: Parameters) -> str:
    return "".join(_HIDDEN.format(name=escape(name), value=escape(value)) for name, value in parameters)
