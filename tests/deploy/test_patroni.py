"""Do the files for Patroni and its etcd say what their README promises? `tests.soak patroni` runs them."""

from typing import Any, Final

import yaml

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
