# The dashboard in a container, read-only, over folders that are mounted or over addresses such as s3://bucket/runs.
# docs/guide/scale.md says how it is built and run.

FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY app app
COPY diagnostics diagnostics
COPY rlvitals rlvitals
COPY trainer trainer
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --constraint constraints.txt '.[app,data,remote]' s3fs

FROM python:3.11-slim
RUN useradd --uid 1000 --create-home rlvitals \
 && install --directory --owner rlvitals --mode 700 /state
COPY --from=build /venv /venv
USER rlvitals
ENV PATH="/venv/bin:$PATH" XDG_CACHE_HOME=/state/cache XDG_DATA_HOME=/state/data
VOLUME /state
EXPOSE 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"]
ENTRYPOINT ["rlvitals", "ui", "--host", "0.0.0.0", "--port", "8501", "--read-only"]
CMD ["/runs"]
