#!/bin/sh
# Run by the container of Postgres when its volume is new: creates the role of Querybell, which is no superuser, and its
# database. The superuser then has no password, so it can log in only inside of the container.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/postgres_password)" <<'SQL'
CREATE ROLE querybell LOGIN PASSWORD :'password';
CREATE DATABASE querybell OWNER querybell;
ALTER ROLE postgres PASSWORD NULL;
SQL
