#!/usr/bin/env bash
# Brings a physical backup back and proves the ledger in it; only then its folder gets the name it was asked for.
set -euo pipefail

usage() {
    cat <<'EOF'
usage: restore.sh [--wal ARCHIVE [--until TIME]] [--user NAME] [--no-roles] BACKUP DATA DATABASE

Checks the backup, copies it, starts it where nobody else can reach it, brings an older program's ledger up to
date (`jackpot ledger migrate`), runs `jackpot verify` on every bank of it, stops it, and names it DATA: a data
directory, ready to be started with your own configuration. What does not verify stays under DATA.unproved. The
backup stays as it is. Run it as the user that PostgreSQL runs as.

  --wal ARCHIVE  what archive.sh kept: goes on to its end after the backup's
  --until TIME   and no further than this time, such as "2026-03-01 04:00:00+00"
  --user NAME    a superuser of the cluster; postgres if not given
  --no-roles     as of `jackpot ledger migrate`: roles and rights are left to somebody else
  BACKUP         what backup.sh made
  DATA           where the cluster is to be: must not exist
  DATABASE       the ledger's database in it

Environment: PGBIN, the folder of PostgreSQL's programs; otherwise Debian's of the backup's version, or PATH.
Example: restore.sh --wal /backup/wal /backup/postgres/base-20260301T030000Z /var/lib/postgresql/15/main ledger
EOF
}

die() {
    printf 'restore.sh: %s\n' "$*" >&2
    exit 1
}

archive='' until='' user=postgres no_roles=()
while [[ ${1:-} == --* ]]; do
    case $1 in
        --help) usage; exit 0 ;;
        --wal | --until | --user) [[ $# -ge 2 ]] || { usage >&2; exit 2; } ;;&
        --wal) archive=$2 ;;
        --until) until=$2 ;;
        --user) user=$2 ;;
        --no-roles) no_roles=(--no-roles); shift; continue ;;
        *) usage >&2; exit 2 ;;
    esac
    shift 2
done
[[ $# == 3 && (-n $archive || -z $until) ]] || { usage >&2; exit 2; }
backup=$1 data=$2 database=$3
[[ -e $backup/backup_manifest && $backup != *.part ]] || die "$backup is not a whole backup"
[[ ! -e $data ]] || die "$data exists: restore into another folder, then rename both"
[[ -z $archive || -d $archive ]] || die "$archive is not a folder"

PATH=${PGBIN:-/usr/lib/postgresql/$(<"$backup/PG_VERSION")/bin}:$PATH
command -v pg_ctl pg_verifybackup >/dev/null || die "PostgreSQL's programs are missing: set PGBIN"
jackpot --version >/dev/null || die "jackpot cannot be run by $(id -un): put it on PATH, where this user may read it"

pg_verifybackup --quiet "$backup" || die "$backup is not what was backed up"

unproved=$data.unproved
rm -rf -- "$unproved"
cp --archive -- "$backup" "$unproved"
chmod 0700 "$unproved"
rm -f -- "$unproved/standby.signal" "$unproved/postmaster.pid"

# A configuration of its own, for the cluster's may not be in its folder, and names its archive and its standbys.
scratch=$(mktemp -d)
pg() { pg_ctl --pgdata="$unproved" --silent --wait --timeout=86400 "$@"; }
trap 'pg status >/dev/null 2>&1 && pg --mode=immediate stop; rm -rf -- "$scratch"' EXIT
echo "local all all trust" >"$scratch/hba"
: >"$scratch/conf"
settings=(
    "config_file=$scratch/conf" "hba_file=$scratch/hba" "data_directory=$(realpath "$unproved")"
    listen_addresses= port=5432 "unix_socket_directories=$scratch" ssl=off logging_collector=off
    archive_mode=off synchronous_standby_names= shared_preload_libraries= hot_standby=off
    dynamic_shared_memory_type=mmap primary_conninfo=
)
if [[ -n $archive ]]; then
    touch "$unproved/recovery.signal"
    settings+=("restore_command=cp \"$(realpath "$archive")/%f\" \"%p\"" recovery_target_action=promote)
    settings+=("recovery_target_time=$until" recovery_target_timeline=latest)
fi
fallen() {
    cat "$scratch/log" >&2
    die "the restored cluster does not start; it is in $unproved"
}
pg --log="$scratch/log" --options="$(printf ' -c %q' "${settings[@]}")" start >&2 || fallen
# One that recovers from an archive counts as started long before it has come to the archive's end.
until LC_ALL=C pg_controldata --pgdata="$unproved" | grep -q '^Database cluster state: *in production$'; do
    pg status >/dev/null 2>&1 || fallen
    sleep 0.2
done
ledger="postgresql:///$database?host=$scratch&port=5432&user=$user"
jackpot ledger migrate "${no_roles[@]}" --ledger "$ledger" >&2 ||
    die "the restored ledger cannot be brought up to date; it is in $unproved"
jackpot verify --ledger "$ledger" ||
    die "the restored ledger does not verify; it is in $unproved"
jackpot ledger restored --ledger "$ledger" >&2 ||
    die "its banks could not be suspended; it is in $unproved"
pg --mode=fast stop
mv -- "$unproved" "$data"
sync "$(dirname "$data")"
cat >&2 <<EOF
$data is proved. Start PostgreSQL on it with your configuration and a new, empty WAL archive. Make new standbys,
then start jackpot. Its links are suspended until two people resume them. Let the tables connect: a table whose
last answer is newer than this ledger is refused with ledger_behind. Look at what is missing, then confirm it:
    jackpot ledger behind --config FILE
    jackpot ledger resume --bank BANK --believe all --reason TEXT --config FILE
One person asks with it, and a second one confirms at /ops/requests. Where the ledger has no people,
jackpot users init makes them before the start.
Restart the signage processes, if there are any: they show no value older than one that they know.
EOF
