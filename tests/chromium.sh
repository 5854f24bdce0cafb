#!/bin/sh
# The browser tests drive a headless Chromium. Debian's headless shell draws no windows around its pages, which takes a
# fifth less of the processor; where it cannot be installed, an installed Chromium or Chrome does (needs root).
command -v chromium-headless-shell >/dev/null && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
  echo "Installing Debian's headless Chromium for the browser tests." >&2
  apt-get update -qq || true
  for name in chromium-headless-shell chromium; do
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$name" >/dev/null && exit 0
    command -v chromium >/dev/null && exit 0
  done
fi
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done
echo "The browser tests need Chromium: on Debian run once, as root: apt-get install chromium-headless-shell" >&2
exit 1
