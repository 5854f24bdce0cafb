"""The dashboard as an ASGI application: Streamlit's page behind the access policy."""

import logging
import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from app.access import AccessMiddleware, Policy
from app.addresses import PageAddresses, icon_routes
from app.arenas import use_few_arenas
from app.charts.routes import chart_routes
from app.downloads.routes import download_routes
from app.jump.routes import jump_routes
from app.read_ahead import ReadAhead
from app.startup import lifespan
from diagnostics.garbage import collect_every, collect_rarely
from diagnostics.remote.following import wait_at_most

_SECONDS_TO_GARBAGE = 15.0  # each run of a page leaves a little; what a minute leaves would spread over more memory
_PATIENCE = 0.5  # seconds that a page waits for logs that lie elsewhere, before it says how far they are

logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # it would announce an address without the token

use_few_arenas()
collect_rarely()
collect_every(_SECONDS_TO_GARBAGE)
wait_at_most(_PATIENCE)

_POLICY = Policy.from_environment(os.environ, base_path=st.get_option("server.baseUrlPath"))
os.environ.pop("RLVITALS_TOKEN", None)  # the trainings that the page starts inherit the environment

app = st.App(
    Path(__file__).with_name("main.py"),
    lifespan=lifespan,
    routes=[
        *chart_routes(_POLICY.base_path),
        *download_routes(_POLICY.base_path),
        *jump_routes(_POLICY.base_path),
        *icon_routes(_POLICY.base_path),
    ],
    middleware=[
        Middleware(AccessMiddleware, policy=_POLICY),
        Middleware(ReadAhead, base_path=_POLICY.base_path),
        Middleware(PageAddresses, base_path=_POLICY.base_path),
    ],
)
