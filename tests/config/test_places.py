"""Addresses of the processes, and those that are refused."""

import grp
import os
from pathlib import Path

from jackpot.clock import SystemClock
from jackpot.config import Address, load
from jackpot.config.certificates import self_signed
from tests.config.floor import WriteFloor, mistakes


def certificate(cert: Path, key: Path, days: int = 90) -> None:
    """Writes one that is good for so many days, and its key; both into one file where that is asked."""
    made = self_signed(["localhost"], days, SystemClock().unix_ms())
    key.touch(mode=0o600)
    key.write_text(made.key)
    cert.write_text(made.cert + (made.key if cert == key else ""))


def test_a_certificate_is_looked_at_before_the_start(floor: WriteFloor, tmp_path: Path) -> None:
    """README, TLS: one that ends soon is a warning, one without its key a mistake."""
    cert, key = tmp_path / "c.pem", tmp_path / "k.pem"
    file = floor(more='[listen.tls]\ncert = "c.pem"\nkey = "k.pem"\n')
    certificate(cert, key, days=7)
    assert any(f"listen.tls.cert: {cert} ends on" in line for line in load(file).warnings)
    cert.write_text("a certificate")
    assert "are no certificate and its key" in mistakes(file)["listen.tls.cert"]


def test_the_group_of_the_admin_socket_is_one_of_this_machine(floor: WriteFloor) -> None:
    """People: another name is a mistake that says so, before the start."""
    own = grp.getgrgid(os.getgid()).gr_name
    assert load(floor(("[listen]", f'[listen]\nadmin_group = "{own}"'))).listen.admin_group == own
    found = mistakes(floor(("[listen]", '[listen]\nadmin_group = "no-such-group"')))
    assert found["listen.admin_group"].startswith("this machine has no group no-such-group")
    assert list(mistakes(floor(("[listen]", '[listen]\nadmin_group = "a b"')))) == ["listen.admin_group"]


def test_plain_listeners_beyond_loopback(floor: WriteFloor, tmp_path: Path) -> None:
    """A listener beyond loopback has TLS, or is without it on purpose and warned of."""
    public = ("127.0.0.1:5711", "0.0.0.0:5711")
    meant = load(floor(public, ("[listen]", "[listen]\ninsecure = true")))
    assert meant.listen.insecure
    assert any("listen.signs: 0.0.0.0:5711 has no TLS" in warning for warning in meant.warnings)
    found = mistakes(floor(public, ("[[link]]", '[listen.tls]\ncert = "c.pem"\nkey = "k.pem"\n[[link]]')))
    assert list(found) == ["listen.tls.cert", "listen.tls.key"]
    certificate(tmp_path / "c.pem", tmp_path / "k.pem")
    tls = load(floor(public, ("[[link]]", '[listen.tls]\ncert = "c.pem"\nkey = "k.pem"\n[[link]]')))
    assert tls.listen.tls is not None
    assert tls.warnings == ()


def test_a_private_key_that_everybody_can_read(floor: WriteFloor, tmp_path: Path) -> None:
    """Who has the server's TLS key can play the server. A group may share it, but no device's key."""
    tls = tmp_path / "server.pem"
    certificate(tls, tls)
    file = floor(more=f'[listen.tls]\ncert = "{tls}"\nkey = "{tls}"\n')
    tls.chmod(0o644)
    assert [line for line in load(file).warnings if "listen.tls.key" in line] == [
        f"listen.tls.key: {tls} has mode 0644: everybody here can read the private key (chmod 640)"
    ]
    tls.chmod(0o640)
    assert not any("listen.tls.key" in line for line in load(file).warnings)
    (tmp_path / "keys" / "T01").chmod(0o640)
    assert "only its owner may read a key" in mistakes(file)["table[0].key_file"]


def test_ports_that_the_system_chooses(floor: WriteFloor) -> None:
    """Port 0 may be asked for by several listeners."""
    config = load(floor(("127.0.0.1:5710", "127.0.0.1:0"), ("127.0.0.1:5711", "[::1]:0")))
    assert config.listen.signs == Address("::1", 0)
    assert str(config.listen.signs) == "[::1]:0"


def test_servers_that_share_a_ledger(floor: WriteFloor, tmp_path: Path) -> None:
    """DESIGN, beyond one machine: each listens where devices can be sent; they share one PostgreSQL."""
    shared = ("sqlite:///ledger.db", "postgresql://jackpot@db/ledger")
    one = '[[server]]\nid = "a"\ntables = "127.0.0.1:5710"\nhttp = "127.0.0.1:8080"\nbanks = ["main"]\n'
    two = '[[server]]\nid = "b"\ntables = "127.0.0.1:5720"\nadmin = "/run/b.sock"\n'
    assert "has one server" in mistakes(floor(more=one))["server[0]"]
    found = load(floor(shared, more=one + two))
    assert [(server.id, server.banks) for server in found.servers] == [("a", ("main",)), ("b", ())]
    assert found.server is None
    first, second = found.of_server("a"), found.of_server("b")
    assert first.listen.admin == tmp_path / "a.sock"
    assert (first.listen.http, first.listen.signs) == (Address("127.0.0.1", 8080), None)
    assert (second.listen.tables, second.listen.admin) == (Address("127.0.0.1", 5720), Path("/run/b.sock"))
    wrong = one.replace("127.0.0.1:5710", "0.0.0.0:5710").replace("main", "north")
    assert mistakes(floor(shared, more=wrong)).keys() >= {"server[0].tables", "server[0].banks"}
    assert mistakes(floor(shared, more=one + one))["server"] == (
        "the id a is given to 2 of them: server[0], server[1]"
    )
    same = mistakes(floor(shared, more=one + two.replace("5720", "5710")))
    assert same == {"server[1].tables": "127.0.0.1:5710 is already that of server a"}


def test_a_mistake_of_a_server_has_its_own_path(floor: WriteFloor) -> None:
    """DESIGN, config: the admin socket of a server that is too long is named where it was written."""
    server = f'[[server]]\nid = "a"\ntables = "127.0.0.1:5710"\nadmin = "{"a" * 108}"\n'
    shared = ("sqlite:///ledger.db", "postgresql://jackpot@db/ledger")
    assert mistakes(floor(shared, more=server)).keys() == {"server[0].admin"}


def test_signage_processes(floor: WriteFloor, tmp_path: Path) -> None:
    """DESIGN, beyond one machine: fed by Redis, each one sender of UDP, and none needs a table's key."""
    redis = '[redis]\nurl = ["redis://a:6379", "rediss://b:6379"]\n'
    hall = '[[signage]]\nid = "hall"\nsigns = "10.0.0.1:5721"\n'
    udp = '[[udp_sign]]\naddress = "10.0.0.9:1"\nlinks = ["five"]\nformat = "{amount}"\nsender = "bar"\n'
    assert mistakes(floor(more=hall + udp)) == {
        "signage[0]": "a signage process is fed by Redis: give [redis] url",
        "signage[0].signs": "10.0.0.1:5721 is beyond loopback and has no TLS: "
        "give [listen.tls], or insecure = true",
        "udp_sign[0].sender": "there is no signage process bar",
    }
    assert mistakes(floor(more='[redis]\nurl = ["http://a"]\n')) == {
        "redis.url": 'this is not "redis://..." or "rediss://...", or a list of them'
    }
    for url in ("redis://", "redis://a:x", "redis://[::1"):
        assert "redis.url" in mistakes(floor(more=f'[redis]\nurl = "{url}"\n')), url
    for name, said in (("no.pem", "there is no file"), ("keys/T01", "holds no certificate")):
        url = f"rediss://a:6379?ssl_ca_certs={tmp_path / name}"
        assert said in mistakes(floor(more=f'[redis]\nurl = "{url}"\n'))["redis.url"]
    certificate(tmp_path / "ca.pem", tmp_path / "ca.key")
    near = mistakes(floor(more='[redis]\nurl = "rediss://a:6379?ssl_ca_certs=ca.pem"\n'))
    assert "ca.pem: give its whole path" in near["redis.url"]
    assert load(floor(more=f'[redis]\nurl = "rediss://a:6379?ssl_ca_certs={tmp_path}/ca.pem"\n')).redis
    blind = floor(more='[redis]\nurl = "rediss://a:6379?ssl_cert_reqs=none"\n')
    said = "redis.url: ssl_cert_reqs=none takes whatever answers for that node: leave it out"
    assert [one for one in load(blind).warnings if "redis" in one] == [said]
    file = floor(more=redis + hall.replace("10.0.0.1", "127.0.0.1"))
    assert load(file).redis == ("redis://a:6379", "rediss://b:6379")
    for table in ("T01", "T02"):
        (tmp_path / "keys" / table).unlink()
    assert "table[0].key_file" in mistakes(file)
    assert set(load(file, roles=("sign",)).keys) == {("sign", "S01")}
