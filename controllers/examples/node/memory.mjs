// The memory of a table across a power loss, in one small file: the highest answered number, and the command that is
// not answered yet. It is written whole under another name and takes the old one's place only when it is on the disk.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export class Memory {
  /** acked: the highest seq with a durable answer. pending: the unanswered command, or null. */
  constructor(path) {
    this.path = path;
    this.acked = 0;
    this.pending = null;
    if (existsSync(path)) ({ acked: this.acked, pending: this.pending } = JSON.parse(readFileSync(path, "utf8")));
  }

  /** Returns when both are on the disk: only then may anything be sent, or believed. */
  save(acked, pending) {
    const text = JSON.stringify({ acked, pending });
    const fresh = `${this.path}.new`;
    const file = openSync(fresh, "w", 0o600);
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(fresh, this.path);
    const folder = openSync(dirname(this.path), "r"); // the name is found again only once its folder is written
    fsyncSync(folder);
    closeSync(folder);
    this.acked = acked;
    this.pending = pending;
  }
}
