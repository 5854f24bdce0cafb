"""Access: which requests reach the page: by host name, by origin, and by the token."""

from app.access.middleware import AccessMiddleware
from app.access.policy import Policy

__all__ = ["AccessMiddleware", "Policy"]
