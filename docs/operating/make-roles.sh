#!/bin/sh
# Run once by the image of PostgreSQL on an empty volume: the two roles of docs/running.md and their database.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 \
  --set=owner_password="$OWNER_PASSWORD" --set=service_password="$SERVICE_PASSWORD" <<'SQL'
create role stancebook_owner login password :'owner_password';
create role stancebook login password :'service_password';
create database stancebook owner stancebook_owner encoding 'UTF8' template template0;
revoke all on database stancebook from public;
grant connect on database stancebook to stancebook;
SQL
