#!/bin/sh
# Creates what the compose file needs: secrets in files, and the domain in .env. Never changes what is there: without
# their sealing key, the secrets in the database cannot be opened any more.
set -eu
umask 077
cd "$(dirname "$0")/.."
# Compose mounts these files as they are, and the containers have users of their own: the folder keeps others out.
mkdir -p secrets

create() {
  [ -e "secrets/$1" ] && return
  cat > "secrets/$1.partial"
  chmod 0444 "secrets/$1.partial"
  mv "secrets/$1.partial" "secrets/$1"
  echo "Created secrets/$1."
}
random() { head -c 32 /dev/urandom; }

random | od -An -tx1 | tr -d ' \n' | create postgres_password
echo "postgresql://querybell:$(cat secrets/postgres_password)@postgres:5432/querybell" | create database_url
echo "postgresql://querybell:$(cat secrets/postgres_password)@postgres:5432/querybell_check" | create check_database_url
random | od -An -tx1 | tr -d ' \n' | create public_password
echo "postgresql://querybell_public:$(cat secrets/public_password)@postgres:5432/querybell" | create public_database_url
echo "k1:$(random | base64 | tr -d '\n')" | create sealing_keys
random | od -An -tx1 | tr -d ' \n' | create metrics_token
# Empty, and not read until .env names them: Compose wants every file that it could mount.
for name in smtp_url model_api_key oidc_client_secret; do create "$name" < /dev/null; done

echo "Keep a copy of secrets/sealing_keys apart from the backups: a restore needs both, and so does a thief."

wanted=${QUERYBELL_DOMAIN:-}
written=$(sed -n 's/^QUERYBELL_DOMAIN=//p' .env 2> /dev/null | tail -n 1)
if [ -z "$wanted$written" ]; then
  echo "No domain yet. Run this again with one: QUERYBELL_DOMAIN=querybell.acme.example deploy/create-secrets.sh" >&2
  exit 1
elif [ -z "$written" ]; then
  # Its last line may have no end.
  [ -z "$(tail -c 1 .env 2> /dev/null)" ] || echo >> .env
  echo "QUERYBELL_DOMAIN=$wanted" >> .env
  echo "Wrote QUERYBELL_DOMAIN=$wanted to .env."
elif [ -n "$wanted" ] && [ "$wanted" != "$written" ]; then
  echo "QUERYBELL_DOMAIN stays $written, as .env has it. To use $wanted, change it there." >&2
  exit 1
fi
