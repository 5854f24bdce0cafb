#!/bin/sh
# The browser tests drive an installed Chromium or Chrome; where there is none, Debian's is installed (needs root).
set -e
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "The browser tests need Chromium: on Debian run once, as root: apt-get install chromium" >&2
  exit 1
fi
echo "Installing Debian's Chromium for the browser tests." >&2
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
