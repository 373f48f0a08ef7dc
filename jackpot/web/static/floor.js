// The floor page: meters as they move, and every two seconds who is connected and what is wrong.

import { follow } from "./live.js";
import { Odometer, element } from "./odometer.js";
import { paint, tone } from "./tones.js";
import { say } from "./words.js";

const LOOK_MS = 2000;
const ANSWER_MS = 4000;

const { displays, money, insecure } = JSON.parse(document.body.dataset.settings);
const at = (selector) => document.querySelector(selector);
const links = new Map(); // link: {badge, reason, levels: Map(level: Odometer), terms: Map(level: dl), totals: dl of an offer, box, state}
let elsewhere = {}; // link: at which server it is
let why = {}; // link: what it is suspended for
let lost = true;
let failed = "";

if (Object.keys(displays).length) paint(document.documentElement, Object.values(displays)[0]);

function linkOf(name) {
  let link = links.get(name);
  if (link === undefined) {
    const display = displays[name];
    const section = element("section", "link");
    const head = element("div", "head");
    const title = element("p", "title");
    const to = element("a", "", display ? display.title : name);
    if (display) to.href = `/sign/${encodeURIComponent(name)}`; // an offer has no sign
    title.append(to);
    link = { badge: element("span", "badge"), reason: element("span", "reason"), box: element("div", "levels"), levels: new Map(), terms: new Map(), totals: element("dl", "terms"), state: "" };
    head.append(title, link.badge, link.reason);
    section.append(head, link.box, link.totals);
    at("#links").append(section);
    links.set(name, link);
  }
  return link;
}

function levelOf(name, level) {
  const link = linkOf(name);
  let odometer = link.levels.get(level);
  if (odometer === undefined) {
    const box = element("div", "level");
    const amount = element("div", "amount-run");
    const display = displays[name];
    box.append(element("p", "name", say(display?.levels[level] ?? level)), amount);
    if (display) tone(box, display, level);
    const terms = element("dl", "terms");
    box.append(terms);
    link.terms.set(level, terms);
    link.box.append(box);
    odometer = new Odometer(amount, money);
    link.levels.set(level, odometer);
  }
  return odometer;
}

function told(message) {
  if (message.t === "welcome") {
    for (const facts of message.links) facts.levels.forEach((level) => levelOf(facts.link, level));
  } else if (message.t === "meters") {
    for (const [link, level, cents] of message.values) levelOf(link, level).set(cents);
  } else if (message.t === "state") {
    const link = linkOf(message.link);
    link.state = message.state;
    label(message.link);
  }
}

// A link of another server is no fault here; that server's page shows its values.
function label(name) {
  const link = linkOf(name);
  const server = elsewhere[name];
  link.badge.dataset.state = server ? "elsewhere" : link.state;
  link.badge.textContent = server ?? (link.state ? say(link.state) : "");
  link.reason.textContent = (!server && link.state === "suspended" && why[name]) || "";
  link.box.hidden = Boolean(server);
}

function tile(name, now, text, className) {
  const box = element("div", `tile ${className}`);
  box.append(element("span", "now", now), element("b", "", name), element("p", "", text));
  return box;
}

function absent() {
  return starting ? say("starting") : say("offline");
}

function tableTile(table) {
  const now = !table.online ? absent() : table.held ? say("held") : table.round;
  return tile(table.table, now, table.held ? say("held for {hits}", { hits: table.held }) : table.game, !table.online ? (starting ? "awaited" : "off") : table.held ? "held" : "");
}

function hitRow(hit) {
  const row = element("tr", "");
  const time = element("td", "time", hit.when);
  time.append(element("span", "rest", ` ${hit.zone}`));
  row.append(time);
  for (const part of ["hit", "table", "seat", "hand"]) row.append(element("td", part, hit[part]));
  row.append(element("td", "on", hit.link), element("td", "of", hit.level));
  // Each bank counts its own hits from H1.
  if (hit.bank) row.querySelector(".hit").append(element("span", "bank", hit.bank));
  const sum = element("td", "sum", hit.amount);
  if (hit.envy) sum.append(element("span", "envy", say("and {sum} envy", { sum: hit.envy })));
  if (hit.corrected) sum.append(element("span", "envy", say("corrected by {sum}", { sum: hit.corrected })));
  const status = element("td", `status ${hit.stands}`, hit.status);
  if (hit.next) status.append(element("span", "next", hit.next));
  row.append(sum, status);
  return row;
}

// Who taps it signs in, and is where it is worked at.
function waitingHit(hit) {
  const to = element("a", `hit ${hit.stands}${hit.of_meter ? " of-meter" : ""}`);
  to.href = hit.page;
  const where = [hit.where, hit.bank].filter(Boolean).join(", ");
  const what = element("span", "what", hit.hand);
  if (hit.level) what.append(element("small", "", hit.level));
  const sum = element("span", "sum", hit.amount);
  if (hit.envy) sum.append(element("small", "", say("and {sum} envy", { sum: hit.envy })));
  if (hit.part) sum.append(element("small", "", hit.part));
  to.append(sum, what, element("span", "where", where), element("span", "waited", hit.waited), element("span", "next", hit.next || hit.status));
  return to;
}

function waits({ said, hits, more }) {
  const lines = hits.map(waitingHit);
  if (said) lines.unshift(element("h2", "", said));
  if (more) lines.push(element("p", "more", more));
  at("#waiting").replaceChildren(...lines);
}

function trouble({ what, next, at, there }) {
  const line = element("li", "");
  const said = element(at ? "a" : "span", "said", what);
  if (at) said.href = at;
  line.append(said);
  next = there || next;
  if (next) {
    const words = element("p", "next");
    // Text between backticks is a command to type.
    words.append(...next.split("`").map((part, number) => (number % 2 ? element("code", "", part) : part)));
    line.append(words);
  }
  return line;
}

function troubles(list) {
  const all = [...list];
  if (lost || failed) all.unshift({ what: say("The server does not answer: what you see below is old"), next: say("check whether it runs, and read its log") });
  if (alarms) all.push({ what: alarms, next: say("look, and acknowledge"), at: "/ops/alarms" });
  if (insecure) all.push({ what: say("Connections are not encrypted (insecure = true)"), next: say("give [listen.tls] a certificate") });
  at("#trouble").classList.toggle("wrong", all.length > 0);
  if (!all.length && starting) all.push({ what: say("The server has just started: its tables and signs come back now.") });
  if (requests) all.push({ what: requests, at: "/ops/requests" });
  if (!all.length && !pending) all.push({ what: say("All is in order.") });
  at("#trouble").hidden = !all.length;
  at("#trouble ul").replaceChildren(...all.map(trouble));
  document.body.dataset.state = lost || failed ? "lost" : at("#trouble").classList.contains("wrong") ? "wrong" : "good";
}

let last = [];
let alarms = "";
let requests = "";
let pending = true; // until the floor was seen, nobody knows
let starting = false;

function figure([name, value]) {
  const pair = element("div", "");
  pair.append(element("dt", "", name), element("dd", "", value));
  return pair;
}

function fill(floor) {
  [last, alarms, requests, starting] = [floor.troubles, floor.alarms, floor.requests, floor.starting];
  pending = floor.waiting.hits.length > 0;
  waits(floor.waiting);
  at("#counts").textContent = floor.counts;
  at("#banks").textContent = floor.banks;
  at("#heads").textContent = floor.heads;
  [elsewhere, why] = [floor.elsewhere, floor.why];
  for (const name of links.keys()) label(name);
  for (const [name, levels] of Object.entries(floor.terms)) {
    for (const [level, figures] of Object.entries(levels)) {
      levelOf(name, level);
      linkOf(name).terms.get(level).replaceChildren(...figures.map(figure));
    }
  }
  for (const [name, figures] of Object.entries(floor.offers)) {
    linkOf(name).totals.replaceChildren(...figures.map(figure));
  }
  at("#clock").textContent = floor.time;
  at("#tables .tiles").replaceChildren(...floor.tables.map(tableTile));
  at("#signs .tiles").replaceChildren(
    ...floor.signs.map((sign) => tile(sign.sign, sign.online ? say("connected") : absent(), sign.links, sign.online ? "" : starting ? "awaited" : "off")),
  );
  for (const kind of ["tables", "signs"]) at(`#${kind}`).hidden = !floor[kind].length;
  const rows = floor.hits.map(hitRow);
  if (!rows.length) {
    const row = element("tr", "none");
    row.append(element("td", "", say("none yet")));
    rows.push(row);
  }
  at("#hits thead").hidden = !floor.hits.length;
  at("#hits tbody").replaceChildren(...rows);
}

async function look() {
  try {
    const ended = new AbortController();
    const late = setTimeout(() => ended.abort(), ANSWER_MS);
    const answer = await fetch("/floor.json", { signal: ended.signal, cache: "no-store" });
    fill(await answer.json());
    clearTimeout(late);
    failed = "";
  } catch (error) {
    failed = String(error);
  }
  troubles(last);
  setTimeout(look, LOOK_MS);
}

follow(null, told, (value) => {
  lost = value;
  troubles(last);
});
look();
