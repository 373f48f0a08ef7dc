// The table's side of the floor protocol: connection, hello, numbers, resends, back-off, silence.
//
// It has one command unanswered at a time, although the protocol allows 64: a round is two commands, so a table
// never waits for more than one answer anyway, and its memory is one command.

import { createHmac } from "node:crypto";
import { EventEmitter } from "node:events";
import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { decode, encode } from "./msgpack.mjs";

const FRAME_MAX = 65_536;
const CONNECT_MS = 5_000; // to make a connection, before the next server is tried
const HEARTBEAT_MS = 5_000; // until the welcome says otherwise
const SILENT_HEARTBEATS = 2;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
const REPLACED_WAIT_MS = 30_000;
const LOOKS_A_HEARTBEAT = 8; // how often the clock is looked at

/** Emits `changed` after all that happens, `push` with what the server tells, `trouble` with why it is not in. */
export class Table extends EventEmitter {
  /** servers: "host:port", tried in turn. key: 32 bytes. tls: options of node:tls, or null for plain TCP. */
  constructor({ id, key, servers, memory, tls = null }) {
    super();
    Object.assign(this, { id, key, memory, tls, home: servers });
    this.server = servers[0];
    this.tried = new Set();
    this.named = [];
    this.links = new Map(); // link -> {wager, state, ...} of the welcome
    this.round = null; // the id of the round that is neither closed nor void
    this.held = false; // people must look at the table before its next round
    this.welcomed = false;
    this.failures = 0;
    this.heartbeat = HEARTBEAT_MS;
    this.asking = null; // who waits for the answer to the pending command
    this.ended = false;
  }

  start() {
    this.#connect();
  }

  stop() {
    this.ended = true;
    clearTimeout(this.timer);
    clearInterval(this.clock);
    this.socket?.destroy();
  }

  /** Progressive wagers may be taken: the server is there, and owes us no answer for too long. */
  get online() {
    return this.welcomed && !(this.memory.pending && Date.now() - this.sentAt >= this.#silence);
  }

  /** Has a command decided: its ack or nack, however many connections or power losses that takes. */
  ask(command) {
    if (this.memory.pending) throw new Error("one command at a time");
    if (command.t === "wager" && !this.online) throw new Error("offline: no progressive wagers");
    this.memory.save(this.memory.acked, { ...command, seq: this.memory.acked + 1 });
    const answer = new Promise((resolve) => (this.asking = resolve));
    if (this.welcomed) this.#sendPending();
    return answer;
  }

  get #silence() {
    return SILENT_HEARTBEATS * this.heartbeat;
  }

  // Connections

  #connect() {
    const [, host, port] = this.server.match(/^\[?(.*?)\]?:(\d+)$/);
    const where = { host, port: Number(port), servername: isIP(host) ? undefined : host };
    this.socket = this.tls ? connectTls({ ...where, ...this.tls }) : connectPlain(where);
    const socket = this.socket;
    socket.setNoDelay(true);
    this.rest = Buffer.alloc(0);
    this.heardAt = this.saidAt = Date.now();
    this.open = this.replaced = false;
    this.named = [];
    socket.on(this.tls ? "secureConnect" : "connect", () => (this.open = true));
    socket.on("data", (data) => this.#bytes(socket, data));
    socket.on("error", (error) => this.emit("trouble", error.message));
    socket.on("close", () => this.#closed());
    clearInterval(this.clock);
    this.clock = setInterval(() => this.#tick(), this.heartbeat / LOOKS_A_HEARTBEAT);
  }

  #closed() {
    clearInterval(this.clock);
    if (this.ended) return;
    if (!this.welcomed) this.#nextServer();
    this.welcomed = false;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.failures++, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
    this.timer = setTimeout(() => this.#connect(), this.replaced ? REPLACED_WAIT_MS : wait);
    this.emit("changed");
  }

  /** All servers, those that were named first, are tried before one is tried again. */
  #nextServer() {
    this.tried.add(this.server);
    const all = [...this.named, ...this.home];
    if (all.every((server) => this.tried.has(server))) this.tried.clear();
    this.server = all.find((server) => !this.tried.has(server) && server !== this.server) ?? all[0];
  }

  #tick() {
    const now = Date.now();
    const patience = this.open ? this.#silence : CONNECT_MS;
    if (now - this.heardAt >= patience) this.socket.destroy();
    else if (this.welcomed && now - this.saidAt >= this.heartbeat) this.#send({ t: "ping", at: now });
    this.emit("changed"); // an answer may be late by now
  }

  // Frames

  #bytes(socket, data) {
    this.rest = Buffer.concat([this.rest, data]);
    try {
      while (this.rest.length >= 4 && socket === this.socket && !socket.destroyed) {
        const size = this.rest.readUInt32BE(0);
        if (size < 1 || size > FRAME_MAX) throw new RangeError(`a frame of ${size} bytes`);
        if (this.rest.length < 4 + size) break;
        const payload = this.rest.subarray(4, 4 + size);
        this.rest = this.rest.subarray(4 + size);
        this.heardAt = Date.now();
        this.#hear(decode(payload));
      }
    } catch (error) {
      this.emit("trouble", error.message);
      socket.destroy();
    }
  }

  #send(message) {
    const payload = encode(message);
    const frame = Buffer.alloc(4 + payload.length);
    frame.writeUInt32BE(payload.length);
    payload.copy(frame, 4);
    this.socket.write(frame);
    this.saidAt = Date.now();
  }

  #hear(message) {
    switch (message.t) {
      case "challenge":
        this.#hello(message);
        break;
      case "welcome":
        this.#enter(message);
        break;
      case "ping":
        this.#send({ t: "pong", at: message.at ?? undefined });
        break;
      case "ack":
      case "nack":
        this.#answered(message);
        break;
      case "error":
        this.#refused(message);
        break;
      case "link":
        if (this.links.has(message.link)) this.links.get(message.link).state = message.state;
        break;
      case "round":
        this.round = ["closed", "void"].includes(message.state) ? null : message.round;
        this.held = false; // people have acted: the next wager says whether it is still so
        break;
      case "status":
        this.held = false;
        break;
    }
    if (["welcome", "hit", "award", "status", "round", "link", "meters"].includes(message.t)) this.emit("push", message);
    this.emit("changed");
  }

  #hello({ v, nonce }) {
    if (v !== 1 || nonce?.length !== 16) throw new TypeError("a challenge that is not of version 1");
    const mac = createHmac("sha256", this.key).update(nonce).update(`table\0${this.id}`).digest();
    this.#send({ t: "hello", v: 1, role: "table", id: this.id, mac, acked: this.memory.acked });
  }

  #enter(welcome) {
    const { last_seq: lastSeq } = welcome;
    if (!Number.isSafeInteger(lastSeq)) throw new TypeError("a welcome without last_seq");
    this.failures = 0;
    this.tried.clear();
    this.heartbeat = welcome.heartbeat_ms;
    clearInterval(this.clock);
    this.clock = setInterval(() => this.#tick(), this.heartbeat / LOOKS_A_HEARTBEAT);
    this.links = new Map(welcome.links.map((link) => [link.link, link]));
    this.held = welcome.held;
    this.round = welcome.round?.round ?? null;
    this.lastFollows = welcome.last_follows === true ? lastSeq : null;
    this.welcomed = true;
    const { acked, pending } = this.memory;
    // People have confirmed what the ledger lost; or this memory is new, and the ledger knows better.
    if (lastSeq < acked || (!pending && lastSeq > acked)) {
      this.memory.save(lastSeq, pending && { ...pending, seq: lastSeq + 1 });
    }
    if (pending) this.#sendPending();
  }

  #refused({ code, message, servers }) {
    this.emit("trouble", `${code}: ${message}`);
    this.named = Array.isArray(servers) ? servers : [];
    this.replaced = code === "replaced";
    if (code === "not_active") this.welcomed = false; // so that another server is tried
    this.socket.destroy();
  }

  // Commands

  #sendPending() {
    this.sentAt = Date.now();
    this.#send(this.memory.pending);
  }

  #answered(answer) {
    if (this.lastFollows !== null) {
      this.lastFollows = null; // it belongs to the welcome; what we have pending is answered behind it
      return;
    }
    const { pending } = this.memory;
    if (answer.seq !== pending?.seq) throw new TypeError(`an answer to ${answer.seq}, which was not asked`);
    if (answer.code === "not_active") {
      this.#refused(answer);
      return;
    }
    if (answer.code === "seq_gap") {
      this.memory.save(answer.expected - 1, { ...pending, seq: answer.expected });
      this.#sendPending();
      return;
    }
    this.memory.save(answer.expected ? answer.expected - 1 : pending.seq, null);
    if (answer.t === "ack") this.#applied(pending);
    this.asking?.(answer);
    this.asking = null;
  }

  #applied(command) {
    if (command.t === "wager") this.round = command.round;
    if (["close", "void"].includes(command.t) || command.close) this.round = null;
  }
}
