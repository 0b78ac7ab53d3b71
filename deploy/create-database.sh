#!/bin/sh
# Run by the container of Postgres when its volume is new: creates the role of Querybell, which is no superuser, its
# database, an empty one for checks of backups, and the role of the public pages, to which migrations give its rights.
# The superuser then has no password, so it can log in only inside of the container.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/postgres_password)" \
  --set=public_password="$(cat /run/secrets/public_password)" <<'SQL'
CREATE ROLE querybell LOGIN PASSWORD :'password';
CREATE DATABASE querybell OWNER querybell;
CREATE DATABASE querybell_check OWNER querybell;
CREATE ROLE querybell_public LOGIN NOINHERIT CONNECTION LIMIT 100 PASSWORD :'public_password';
ALTER ROLE querybell_public SET statement_timeout = '10s';
ALTER ROLE postgres PASSWORD NULL;
SQL
