#!/bin/sh
# The tests on a cluster run Debian's Slurm: a controller and two node daemons on this machine, which the tests start
# and end themselves.
missing=
command -v slurmctld >/dev/null || [ -x /usr/sbin/slurmctld ] || missing="slurmctld"
command -v slurmd >/dev/null || [ -x /usr/sbin/slurmd ] || missing="$missing slurmd"
command -v sbatch >/dev/null || missing="$missing slurm-client"
command -v munged >/dev/null || [ -x /usr/sbin/munged ] || missing="$missing munge"
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "These tests need Slurm: on Debian run once, as root: apt-get install $missing" >&2
  exit 1
fi
echo "Installing from Debian for the tests on a cluster: $missing" >&2
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then # Debian would start them as services; the tests start their own
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
