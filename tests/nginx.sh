#!/bin/sh
# The test behind a reverse proxy runs Debian's nginx, which is installed where that is possible; else that test is skipped.
[ -x /usr/sbin/nginx ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "Without nginx the test behind a reverse proxy is skipped: on Debian run once, as root: apt-get install nginx-light" >&2
  exit 0
fi
echo "Installing Debian's nginx for the test behind a reverse proxy." >&2
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then # Debian would start nginx as a service; the test starts one of its own
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx-light >/dev/null ||
  echo "Debian's nginx could not be installed; the test behind a reverse proxy is skipped." >&2
exit 0
