#!/usr/bin/env bash
# Takes a physical backup of a PostgreSQL cluster and checks it; only a whole one gets a name without ".part".
set -euo pipefail

usage() {
    cat <<'EOF'
usage: backup.sh CONNECTION FOLDER

Copies the whole cluster to FOLDER/base-YYYYMMDDTHHMMSSZ while servers use it, with a manifest of SHA-256 sums
and the WAL that makes the copy consistent. Checks the copy with pg_verifybackup.

  CONNECTION  how to reach the cluster, as a role with REPLICATION: postgresql://backup@db.casino:5432/
              (the password in ~/.pgpass)
  FOLDER      where backups are kept, on another machine's disk

Environment: PGBIN, the folder of PostgreSQL's programs; otherwise Debian's newest, or those on PATH.
Example: backup.sh postgresql://backup@db.casino:5432/ /backup/postgres
EOF
}

die() {
    printf 'backup.sh: %s\n' "$*" >&2
    exit 1
}

[[ ${1:-} != --help ]] || { usage; exit 0; }
[[ $# == 2 ]] || { usage >&2; exit 2; }
connection=$1 folder=$2
[[ -d $folder ]] || die "$folder is not a folder"

newest=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
PATH=${PGBIN:-$newest}:$PATH
command -v pg_basebackup pg_verifybackup >/dev/null || die "PostgreSQL's programs are missing: set PGBIN"

exec 9>"$folder/.lock"
flock --nonblock 9 || die "another backup into $folder is running"
rm -rf -- "$folder"/base-*.part # what was interrupted

name=base-$(date -u +%Y%m%dT%H%M%SZ)
whole=$folder/$name part=$folder/$name.part
[[ ! -e $whole ]] || die "$whole exists"
trap 'rm -rf -- "$part"' EXIT

pg_basebackup --dbname="$connection" --pgdata="$part" --wal-method=stream --checkpoint=fast \
    --manifest-checksums=SHA256 --no-password
pg_verifybackup --quiet "$part"
mv -- "$part" "$whole"
sync "$folder"
printf '%s\n' "$whole"
