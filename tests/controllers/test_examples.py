"""Do the example controllers read and write the protocol's bytes? tests/server plays with them."""

import json
import subprocess

from tests.controllers.examples import FOLDER, need
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
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(json.loads(FILE.read_text())["frames"])
