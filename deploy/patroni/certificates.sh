#!/usr/bin/env bash
# Makes the certificates of the database pair and of its etcd, and the authority that signs them.
set -euo pipefail
umask 077

AUTHORITY_DAYS=3650
# The most that every program takes.
DAYS=825

usage() {
    cat <<'TEXT'
usage: certificates.sh FOLDER HOST...

Makes in FOLDER, which it makes if it is missing, an authority (ca.pem, ca.key), unless one is there, and for each HOST
a certificate and its key (HOST.pem, HOST.key), unless they are there.

  FOLDER  where the authority stays, on no machine of the pair: who has ca.key can be any of them
  HOST    a name or an IPv4 address, as the other machines and the URL of [ledger] write it

Example: certificates.sh /root/database-ca db1.casino db2.casino etcd1.casino etcd2.casino etcd3.casino
TEXT
}

# A new key, and a certificate for it, both called so: make NAME DAYS OPTION...
make() {
    # No configuration of this machine's openssl counts.
    printf '[req]\ndistinguished_name = name\n[name]\n' |
        openssl req -x509 -config - -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc \
            -keyout "$1.key" -out "$1.new" -days "$2" "${@:3}" 2>"$1.said" || { cat "$1.said" >&2; exit 1; }
    rm "$1.said"
    chmod 644 "$1.new"
    # A certificate that is there has its key.
    mv "$1.new" "$1.pem"
}

[[ ${1:-} != --help ]] || { usage; exit 0; }
[[ $# -ge 2 ]] || { usage >&2; exit 2; }
mkdir -p "$1"
cd "$1"
shift

[[ -e ca.pem ]] || make ca $AUTHORITY_DAYS -subj "/CN=database authority" \
    -addext basicConstraints=critical,CA:true,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign
for host; do
    [[ ! -e $host.pem ]] || { echo "$host.pem is there already" >&2; continue; }
    kind=DNS
    [[ $host =~ [^0-9.] ]] || kind=IP
    # Each is asked (serverAuth) and asks (clientAuth), and speaks to itself as localhost.
    make "$host" $DAYS -CA ca.pem -CAkey ca.key -subj "/CN=$host" -addext "subjectAltName=$kind:$host,DNS:localhost" \
        -addext basicConstraints=critical,CA:false -addext extendedKeyUsage=serverAuth,clientAuth
done
