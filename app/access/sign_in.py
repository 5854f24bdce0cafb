"""The page that a request gets which carries no token: what to do, and a field to paste the token into."""

from html import escape
from urllib.parse import urlencode

from app.access.policy import TOKEN, Parameters, TokenNeeded

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
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
<p>Open the address that <code>rlvitals</code> printed in its terminal, or paste the token that stands in it:</p>
<form method="get">
{hidden}<input type="password" name="{token}" aria-label="Token" autocomplete="off" required autofocus>
<button>Open</button>
</form>
{link}</main>
</body>
</html>
"""
_HIDDEN = '<input type="hidden" name="{name}" value="{value}">\n'
_LINK = """<p>If this browser has opened it before: a link from another site cannot carry its cookie.
<a href="?{query}">Go on to the page</a>.</p>
"""


def sign_in_page(needed: TokenNeeded) -> str:
    """The page as HTML; it keeps the address that was asked for and tells nothing of what the dashboard shows."""
    return _PAGE.format(
        sentence=escape(needed.sentence),
        hidden=_hidden(needed.parameters),
        token=TOKEN,
        link=_LINK.format(query=escape(urlencode(needed.parameters))) if needed.came_by_link else "",
    )


def _hidden(parameters: Parameters) -> str:
    return "".join(_HIDDEN.format(name=escape(name), value=escape(value)) for name, value in parameters)
