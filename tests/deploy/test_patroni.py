"""The Patroni and etcd files match what their README promises. `tests.soak patroni` runs them."""

import ssl
import subprocess
from pathlib import Path
from typing import Any, Final

import yaml
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from jackpot.ledger.connect import each_host
from tests.deploy.tools import DEPLOY

FOLDER: Final = DEPLOY / "patroni"
README: Final = (FOLDER / "README.md").read_text()


def settings() -> dict[str, Any]:
    shipped: dict[str, Any] = yaml.safe_load((FOLDER / "patroni.yml").read_text())
    found: dict[str, Any] = shipped["bootstrap"]["dcs"]
    return found


def test_no_node_is_promoted_without_every_commit() -> None:
    """S5: the standby confirms each commit, and a lead outlives a missed look or two."""
    chosen = settings()
    assert chosen["synchronous_mode"] is True
    assert "synchronous_commit" not in chosen["postgresql"]["parameters"]  # the servers set it themselves
    assert chosen["ttl"] >= chosen["loop_wait"] + 2 * chosen["retry_timeout"]
    assert chosen["postgresql"]["parameters"]["wal_log_hints"] == "on"  # else nothing can be rewound


def test_the_readme_says_what_is_chosen() -> None:
    """Deploy: each choice that the README explains is the one that the file makes."""
    chosen = settings()
    for name in (
        "synchronous_mode",
        "synchronous_mode_strict",
        "primary_start_timeout",
        "failsafe_mode",
        "ttl",
    ):
        assert f"**`{name}: {str(chosen[name]).lower()}`**" in README, name
    hosts = {line.split('"')[1] for line in README.splitlines() if line.strip().startswith("url = ")}
    assert [len(each_host(url)) for url in hosts] == [2]


def test_every_etcd_knows_the_others() -> None:
    """Deploy: three, so that one may die; Patroni asks the same three."""
    lines = (FOLDER / "etcd.env").read_text().splitlines()
    members = dict(line.split("=", 1) for line in lines if not line.startswith("#"))["ETCD_INITIAL_CLUSTER"]
    names = [each.partition("=")[0] for each in members.split(",")]
    assert len(names) == 3
    shipped = yaml.safe_load((FOLDER / "patroni.yml").read_text())
    assert shipped["etcd3"]["hosts"] == [f"{name}.casino:2379" for name in names]


def test_nobody_is_believed_without_a_certificate() -> None:
    """Deploy: etcd, Patroni and PostgreSQL speak TLS alone; who asks or answers shows a certificate."""
    node = yaml.safe_load((FOLDER / "patroni.yml").read_text())
    assert node["etcd3"]["protocol"] == "https"
    assert node["restapi"]["verify_client"] == "required"
    assert {each["sslmode"] for each in node["postgresql"]["authentication"].values()} == {"verify-full"}
    assert {line.split()[0] for line in node["postgresql"]["pg_hba"]} == {"local", "hostssl"}
    etcd = (FOLDER / "etcd.env").read_text()
    assert "http://" not in etcd
    assert "ETCD_CLIENT_CERT_AUTH=true\n" in etcd
    assert "ETCD_PEER_CLIENT_CERT_AUTH=true\n" in etcd
    (url,) = [line for line in README.splitlines() if line.strip().startswith("url = ")]
    assert "sslmode=verify-full" in url


def certificates(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([FOLDER / "certificates.sh", *words], capture_output=True, text=True, check=False)


def test_each_machine_gets_a_certificate(tmp_path: Path) -> None:
    """Deploy: of one authority, for its own name, to ask and be asked; what is there is never made again."""
    folder = tmp_path / "ca"
    assert certificates(folder, "db1.casino", "10.0.5.12").returncode == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = certificates(folder, "db1.casino", "etcd1.casino")
    assert (done.returncode, done.stderr) == (0, "db1.casino.pem is there already\n")
    assert before.items() <= {path.name: path.read_bytes() for path in folder.iterdir()}.items()
    authority = x509.load_pem_x509_certificate(before["ca.pem"])
    for host in ("db1.casino", "10.0.5.12", "etcd1.casino"):
        found = x509.load_pem_x509_certificate((folder / f"{host}.pem").read_bytes())
        found.verify_directly_issued_by(authority)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert host in {str(name.value) for name in names}
        used = found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert {ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH} == set(used)
        assert (folder / f"{host}.key").stat().st_mode & 0o777 == 0o600
        ssl.create_default_context().load_cert_chain(folder / f"{host}.pem", folder / f"{host}.key")


def test_the_script_says_how_it_is_used(tmp_path: Path) -> None:
    """DESIGN, commands: --help with an example; wrong words end in the same text and a code of their own."""
    said = certificates("--help")
    assert said.returncode == 0
    assert said.stdout.startswith("usage: certificates.sh ")
    wrong = certificates(tmp_path)
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", said.stdout)
