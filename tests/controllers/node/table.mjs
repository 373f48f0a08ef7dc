// Can a table be written from the protocol's description alone? Plays one round and prints what it saw.
//
//   node table.mjs HOST PORT TABLE KEY_HEX LINK AMOUNT_CENTS
//
// One line of JSON: {"welcome": {...}, "answers": [...], "pushes": [...]}; exit code 1 with a reason on stderr.

import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { decode, encode } from "@msgpack/msgpack";

const CEILING_MS = 30_000;

const [host, port, table, key, link, amount] = process.argv.slice(2);
const seen = { welcome: null, answers: [], pushes: [] };
const socket = connect(Number(port), host);
let buffer = Buffer.alloc(0);

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

function send(message) {
  const payload = encode(message);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(payload.length);
  socket.write(Buffer.concat([head, payload]));
}

function hello(challenge) {
  const mac = createHmac("sha256", Buffer.from(key, "hex"))
    .update(Buffer.concat([Buffer.from(challenge.nonce), Buffer.from(`table\0${table}`)]))
    .digest();
  send({ t: "hello", v: 1, role: "table", id: table, mac: new Uint8Array(mac) });
}

function play(welcome) {
  seen.welcome = welcome;
  const first = welcome.last_seq + 1;
  const round = `node-${first}`;
  const bets = [2, 1].map((seat) => ({ seat, link, amount: Number(amount) }));
  const hands = [{ seat: 2, cards: ["2h", "7d", "9c"] }, { seat: 1, cards: ["3h", "8d", "Tc"] }];
  send({ t: "wager", seq: first, round, bets, lock: true });
  send({ t: "settle", seq: first + 1, round, hands, board: ["4s", "Js"], close: true });
}

function hear(message) {
  switch (message.t) {
    case "challenge":
      return hello(message);
    case "welcome":
      return play(message);
    case "ping":
      return send({ ...message, t: "pong" });
    case "ack":
    case "nack":
      seen.answers.push(message);
      if (seen.answers.length === 2) {
        console.log(JSON.stringify(seen));
        socket.end();
        process.exit(0);
      }
      return undefined;
    case "error":
      return fail(`error ${message.code}: ${message.message}`);
    default:
      return seen.pushes.push(message);
  }
}

socket.on("data", (data) => {
  buffer = Buffer.concat([buffer, data]);
  while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32BE(0)) {
    const end = 4 + buffer.readUInt32BE(0);
    const payload = buffer.subarray(4, end);
    buffer = buffer.subarray(end);
    hear(decode(payload));
  }
});
socket.on("error", (error) => fail(error.message));
socket.on("close", () => fail("the server closed the connection"));
setTimeout(() => fail("no end of the round in time"), CEILING_MS);
