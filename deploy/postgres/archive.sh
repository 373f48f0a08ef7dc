#!/usr/bin/env bash
# Keeps one finished WAL file durably, and never overwrites one: the archive_command of postgresql.conf.
set -euo pipefail

usage() {
    cat <<'EOF'
usage: archive.sh FOLDER PATH NAME

In postgresql.conf:
    archive_mode = on
    archive_command = '/usr/local/lib/jackpot/archive.sh /backup/wal %p %f'
EOF
}

[[ ${1:-} != --help ]] || { usage; exit 0; }
[[ $# == 3 ]] || { usage >&2; exit 2; }
folder=$1 path=$2 name=$3

if [[ -e $folder/$name ]]; then
    cmp --silent -- "$path" "$folder/$name" && exit 0 # it was kept, and PostgreSQL did not hear of it
    echo "archive.sh: $folder has another $name: it is another cluster's archive" >&2
    exit 1
fi
cp -- "$path" "$folder/$name.part"
sync "$folder/$name.part"
mv -- "$folder/$name.part" "$folder/$name"
sync "$folder"
