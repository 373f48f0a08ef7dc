// A table that deals a game by itself: an example to begin with, and what a tester can be pointed at.
//
//   node play.mjs --server HOST:PORT[,HOST:PORT] --id T01 --key KEY_FILE --memory FILE
//       [--game GAME] [--deck CARDS] [--rounds N] [--pause MS] [--ca CA.pem [--cert CERT.pem --cert-key KEY.pem]]
//
// It plays N rounds and ends with 0; without N it plays for ever. Each command and its answer is a line of JSON.

import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Memory } from "./memory.mjs";
import { Table } from "./table.mjs";

// What each game deals: to the first of the seats below, to each seat, and to nobody's.
const GAMES = {
  "let-it-ride": { first: 7, own: 3, board: 2, dealer: 0, bonus: 3 },
  "ultimate-texas-holdem": { first: 6, own: 2, board: 5, dealer: 2, bonus: 0 },
  "three-card-poker": { first: 7, own: 3, board: 0, dealer: 3, bonus: 0 },
  "four-card-poker": { first: 7, own: 5, board: 0, dealer: 0, bonus: 0 },
  "criss-cross-poker": { first: 6, own: 2, board: 5, dealer: 0, bonus: 0 },
};
const REFUSALS_MAX = 3; // in a row: more is a fault that people must look into

const text = Object.fromEntries(
  ["server", "id", "key", "memory", "game", "deck", "rounds", "pause", "ca", "cert", "cert-key"].map((name) => [name, { type: "string" }]),
);
const USAGE = `A table that deals a game by itself.

  node play.mjs --server HOST:PORT[,HOST:PORT] --id T01 --key KEY_FILE --memory FILE
      [--game GAME] [--deck CARDS] [--rounds N] [--pause MS] [--ca CA.pem [--cert CERT.pem --cert-key KEY.pem]]

--server    one server, or all of them
--id, --key the table and its key, a file of 64 hex digits
--memory    a file that keeps what must survive power loss
--game      ${Object.keys(GAMES).join(", ")}; without it, the first
--deck      how the first deck begins, such as AsKsQs: each seat's cards, the board, the dealer's, the bonus cards
--rounds    rounds to play; without it, it plays for ever
--pause     milliseconds between two rounds
--ca        the authority that signed the server's certificate; --cert and --cert-key are the table's own
`;
const NEEDED = ["server", "id", "key", "memory"];
const USAGE_ERROR = 2;

function fail(why) {
  console.error(`${why}\n\n${USAGE}`);
  process.exit(USAGE_ERROR);
}

/** What was given; without what it needs it says how it is called. */
function asked() {
  try {
    const { values } = parseArgs({ options: { ...text, help: { type: "boolean", short: "h" } } });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const missing = NEEDED.filter((name) => !values[name]);
    if (missing.length) return fail(`missing: ${missing.map((name) => `--${name}`).join(", ")}`);
    return GAMES[values.game ?? "let-it-ride"] ? values : fail(`--game: there is no ${values.game}`);
  } catch (error) {
    return fail(error.message); // an option that it does not know
  }
}

const given = asked();
const game = GAMES[given.game ?? "let-it-ride"];
const SEATS = [game.first, 4, 1]; // in payout order: seat numbers fall
let stacked = given.deck?.match(/../g) ?? []; // how the next deck begins
const read = (file) => file && readFileSync(file);
const table = new Table({
  id: given.id,
  key: Buffer.from(readFileSync(given.key, "utf8").trim(), "hex"),
  servers: given.server.split(","),
  memory: new Memory(given.memory),
  tls: given.ca ? { ca: read(given.ca), cert: read(given.cert), key: read(given["cert-key"]) } : null,
});

function until(condition) {
  return new Promise((resolve) => {
    const look = () => {
      if (!condition()) return;
      table.off("changed", look);
      resolve();
    };
    table.on("changed", look);
    look();
  });
}

let waits = null; // for whom, as it was last said

/** Whether a round can begin, or there is one; once says on whom it waits where people must act first. */
function ready(active) {
  if (!table.online || table.round) return table.online;
  const why = table.held ? "held: people must see to a hit" : active().length ? null : "every link is suspended";
  if (why && why !== waits) console.error(why);
  waits = why;
  return !why;
}

function shuffled() {
  const deck = [..."23456789TJQKA"].flatMap((rank) => [..."shdc"].map((suit) => rank + suit));
  for (let last = deck.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
  const first = stacked;
  stacked = [];
  return [...first, ...deck.filter((card) => !first.includes(card))];
}

async function decided(command) {
  const answer = await table.ask(command);
  console.log(JSON.stringify({ command, answer }));
  for (const award of answer.awards ?? []) {
    console.error(`lamp of seat ${award.seat}: ${award.hand} ${award.amount}`);
    await decided({ t: "lamp", award: award.award, state: "lit" }); // there is none here that could fail
  }
  return answer;
}

/** Nothing is on the table any more. What was dealt before a power loss is gone: those wagers go back. */
async function clear(reason) {
  if (!table.round) return;
  const answer = await decided({ t: "void", round: table.round, reason });
  if (answer.t === "nack" && !answer.expected && table.round) throw new Error(`call the floor: ${answer.code}`);
}

/** Of an offer the player chooses the amount: here a step above the least, where it takes that. */
const amountOn = ({ wager, most = wager, unit = 0 }) => (wager + unit <= most ? wager + unit : wager);

/** The dealer's count of the links that want one: of their chips, and of what they come to. */
function counts(links) {
  const wanted = links.filter((link) => link.count);
  const each = (value) => Object.fromEntries(wanted.map((link) => [link.link, SEATS.length * value(link)]));
  return wanted.length ? { chips: each(() => 1), sums: each(amountOn) } : {};
}

/** Which cards of no seat, and whether the number of players, decide a wager: its link says so in the welcome. */
const needs = (links, name) => links.some((link) => link.needs?.includes(name));

/** One round: the code that the server refused with, null where it was played, "later" where it could not begin. */
async function playRound() {
  const active = () => [...table.links.values()].filter((link) => link.state === "active");
  await until(() => ready(active));
  if (table.round || !table.online) return "later"; // one that is not finished comes first; or it has gone meanwhile
  const links = active();
  const bets = SEATS.flatMap((seat) => links.map((link) => ({ seat, link: link.link, amount: amountOn(link) })));
  const round = `R${Date.now().toString(36)}-${table.memory.acked + 1}`;
  const players = needs(links, "players") ? { players: SEATS.length } : {};
  const taken = await decided({ t: "wager", round, bets, lock: true, ...counts(links), ...players });
  if (taken.t === "nack") {
    if (taken.code === "table_held") table.held = true;
    if (taken.code === "suspended") closed(taken.link, bets);
    return taken.code;
  }
  const deck = shuffled();
  const hands = SEATS.map((seat) => ({ seat, cards: deck.splice(0, game.own) }));
  const [board, dealer, bonus] = [game.board, game.dealer, game.bonus].map((count) => deck.splice(0, count));
  const shown = { board, ...(needs(links, "dealer") && { dealer }), ...(needs(links, "bonus") && { bonus }) };
  const paid = await decided({ t: "settle", round, hands, ...shown, close: true });
  return paid.t === "nack" ? paid.code : null;
}

/** No more wagers on the link that a refusal names, until the server says otherwise; on all, where it names none. */
function closed(named, bets) {
  for (const { link } of bets) if ([undefined, null, link].includes(named)) table.links.get(link).state = "suspended";
}

async function main() {
  table.on("trouble", (why) => console.error(why));
  table.start();
  await until(() => table.welcomed);
  await until(() => !table.memory.pending); // what a power loss left unanswered is decided first
  await clear("the table has lost its power");
  let refused = 0;
  for (let left = Number(given.rounds ?? Infinity); left > 0; ) {
    await clear("it is not known here");
    const code = await playRound();
    if (["later", "suspended", "table_held"].includes(code)) continue; // it waits for others, not for us
    refused = code ? refused + 1 : 0;
    if (refused >= REFUSALS_MAX) throw new Error(`refused again and again: ${code}`);
    await clear("the round was refused");
    if (!code) left--; // a round that was refused was not played
    await new Promise((resolve) => setTimeout(resolve, Number(given.pause ?? 100)));
  }
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
table.stop();
