#!/bin/sh
# Installs the units. As root, in the repository, to which /opt/querybell leads, after `pnpm install` and `pnpm build`. Changes no
# settings and no secrets. A folder as argument stands for / (for the check).
set -eu
root=${1:-}
cd "$(dirname "$0")"
units=$root/etc/systemd/system
mkdir -p "$units"
for unit in *.service *.timer *.target; do
  install -m 0644 "$unit" "$units/$unit"
  case $unit in
    *.service)
      mkdir -p "$units/$unit.d"
      install -m 0644 querybell-common.conf "$units/$unit.d/common.conf"
      case $unit in
        querybell-public@*) ;;
        *) install -m 0644 querybell-data.conf "$units/$unit.d/data.conf" ;;
      esac
      ;;
  esac
done
[ -n "$root" ] && exit
id querybell > /dev/null 2>&1 || useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin querybell
install -d -m 0700 -o querybell -g querybell /var/backups/querybell
install -d -m 0755 /etc/querybell
install -d -m 0700 /etc/querybell/secrets
systemctl daemon-reload
echo "Installed. Write /etc/querybell/settings and /etc/querybell/secrets, then enable the units: docs/deploy.md."
