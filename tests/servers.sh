#!/bin/sh
# The tests behind a reverse proxy and through a tunnel run Debian's nginx and sshd, which are installed where that is
# possible; else those tests are skipped.
missing=
[ -x /usr/sbin/nginx ] || missing="nginx-light"
[ -x /usr/sbin/sshd ] || missing="$missing openssh-server"
command -v ssh >/dev/null || missing="$missing openssh-client"
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "Some tests are skipped: on Debian run once, as root: apt-get install $missing" >&2
  exit 0
fi
echo "Installing from Debian for the tests behind a proxy and through a tunnel: $missing" >&2
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then # Debian would start them as services; the tests start their own
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
  echo "Debian's packages could not be installed; these tests are skipped." >&2
exit 0
