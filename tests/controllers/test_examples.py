"""The example controllers read and write the protocol's bytes; tests/server plays with them."""

import json
import subprocess
from pathlib import Path

from tests import ceilings
from tests.controllers.examples import FOLDER, c, need
from tests.controllers.vectors import FILE

NODE_READS = """
import { readFileSync } from "node:fs";
import { deepStrictEqual } from "node:assert";
import { decode, encode } from "./msgpack.mjs";
const { frames, same } = JSON.parse(readFileSync(process.argv[1]));
const plain = (value) => JSON.parse(JSON.stringify(value, (_, item) =>
  item?.type === "Buffer" ? Buffer.from(item.data).toString("hex") : item));
for (const { hex, message } of frames) {
  const found = decode(Buffer.from(hex.slice(8), "hex"));
  deepStrictEqual(plain(found), message);
  deepStrictEqual(encode(found).toString("hex"), hex.slice(8));
}
for (const { hex } of same.frames) decode(Buffer.from(hex.slice(8), "hex"));
console.log(frames.length);
"""


def test_the_javascript_reads_and_writes_every_vector() -> None:
    """WIRE frames: the example's own MessagePack, both ways, byte by byte."""
    need("node")
    done = subprocess.run(
        ["node", "--input-type=module", "-e", NODE_READS, str(FILE)],
        cwd=FOLDER / "node",
        capture_output=True,
        text=True,
        check=False,
        timeout=ceilings.PROGRAM_S,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(json.loads(FILE.read_text())["frames"])


def test_the_javascript_says_how_it_is_called() -> None:
    """Vendors: --help says every option; without what it needs it says what that is, and fails."""
    need("node")

    def played(*options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["node", str(FOLDER / "node" / "play.mjs"), *options],
            capture_output=True,
            text=True,
            check=False,
            timeout=ceilings.PROGRAM_S,
        )

    told = played("--help")
    assert (told.returncode, told.stderr) == (0, "")
    for option in (
        "server",
        "id",
        "key",
        "memory",
        "game",
        "deck",
        "rounds",
        "pause",
        "ca",
        "cert",
        "cert-key",
    ):
        assert f"--{option}" in told.stdout
    lacking = played("--id", "T01")
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert lacking.stderr.startswith("missing: --server, --key, --memory\n")
    assert played("--id", "T01", "--round", "5").returncode == 2
    whole = ("--server", "127.0.0.1:1", "--id", "T01", "--key", "none", "--memory", "none")
    assert played(*whole, "--game", "chess").stderr.startswith("--game: there is no chess\n")


def test_the_c_reads_and_writes_every_vector(tmp_path: Path) -> None:
    """WIRE frames, handshake: the example's own MessagePack, both ways, and its own HMAC."""
    found = json.loads(FILE.read_text())
    macs = [(each["key"], _said(each), each["mac"]) for each in found["macs"]]
    frames = [each["hex"][8:] for each in found["frames"]]
    lines = [f"mac {key} {said}" for key, said, _ in macs] + [f"frame {frame}" for frame in frames]
    done = subprocess.run(
        c(tmp_path, Path(__file__).with_name("vectors.c")),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=ceilings.PROGRAM_S,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [mac for _, _, mac in macs] + frames


def _said(one: dict[str, str]) -> str:
    """The input of a MAC, as hex digits."""
    return one["nonce"] + one["role"].encode().hex() + "00" + one["id"].encode().hex()


def test_the_c_is_short_and_asks_for_no_memory() -> None:
    """C99 of less than a thousand lines, without malloc: a maker reads it in an hour."""
    sources = [file.read_text() for file in (FOLDER / "c").glob("*.[ch]")]
    assert sum(source.count("\n") for source in sources) < 1_000
    assert not [
        word
        for word in ("malloc", "calloc", "realloc", "strdup")
        for source in sources
        if f"{word}(" in source
    ]
