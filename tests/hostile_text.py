"""Text that an attacker may have put into a log, for every place that shows one."""

COMMANDS = "\x1b]0;owned\x07\x1b[2J\x9b31m\x00\x08\x7f"
TURNED = "user\u202egnp.exe\u2066\u200f"
LINES = "a\nRUN CLEAN\r\nb\rc\u2028d"
MARKUP = (
    "<script>alert(1)</script><b>x</b> [x](javascript:alert(1)) ![x](https://evil.example/x.png) **b** `c` | ~~s~~ &lt;"
)
LINKS = "https://evil.example/a www.evil.example me@evil.example @someone #123 octo/cat#7 http://evil.example."
CODES = ":smile: :material/home: :streamlit: :red[x] $\\href{https://evil.example}{x}$ -> <- -- >= <->"
LEADS = ("# head", "- item", "1. one", "> quote", "===", "---", "    code", "```", "| a | b |", "+ x", "2) b", "<!-- x")
FORMULAS = ('=HYPERLINK("https://evil.example")', "@SUM(1)", "+1+1", "-2+3", "\t=1", "\r=1", "＝1")
EVERYTHING = " ".join((COMMANDS, TURNED, LINES, MARKUP, LINKS, CODES))
DANGEROUS = frozenset("\x1b\x07\x9b\x00\x08\x7f\r\u202e\u2066\u200f\u2028")
