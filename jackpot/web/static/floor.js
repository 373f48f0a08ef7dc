// What does the floor page show? Meters as they move, and every two seconds who is there and what is wrong.

import { follow } from "./live.js";
import { Odometer, element } from "./odometer.js";
import { paint, tone } from "./tones.js";

const LOOK_MS = 2000;
const ANSWER_MS = 4000;

const { faces, money, insecure } = JSON.parse(document.body.dataset.settings);
const at = (selector) => document.querySelector(selector);
const links = new Map(); // link: {badge, reason, levels: Map(level: Odometer), terms: Map(level: p), box, state, why}
let elsewhere = {}; // link: the server that has its bank
let lost = true;
let failed = "";

if (Object.keys(faces).length) paint(document.documentElement, Object.values(faces)[0]);

function linkOf(name) {
  let link = links.get(name);
  if (link === undefined) {
    const face = faces[name];
    const section = element("section", "link");
    const head = element("div", "head");
    const title = element("p", "title");
    const to = element("a", "", face ? face.title : name);
    to.href = `/sign/${encodeURIComponent(name)}`;
    title.append(to);
    link = { badge: element("span", "badge"), reason: element("span", "reason"), box: element("div", "levels"), levels: new Map(), terms: new Map(), state: "", why: "" };
    head.append(title, link.badge, link.reason);
    section.append(head, link.box);
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
    const face = faces[name];
    box.append(element("p", "name", face?.levels[level] ?? level), amount);
    if (face) tone(box, face, level);
    const terms = element("p", "terms");
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
    link.why = message.state === "suspended" ? message.reason : "";
    label(message.link);
  }
}

// A link of another server is no fault here; that server's page shows its values.
function label(name) {
  const link = linkOf(name);
  const server = elsewhere[name];
  link.badge.dataset.state = server ? "elsewhere" : link.state;
  link.badge.textContent = server ? `at ${server}` : link.state;
  link.reason.textContent = server ? "" : link.why;
  link.box.hidden = Boolean(server);
}

function tile(name, now, text, className) {
  const box = element("div", `tile ${className}`);
  box.append(element("span", "now", now), element("b", "", name), element("p", "", text));
  return box;
}

function tableTile(table) {
  const now = !table.online ? (starting ? "starting" : "offline") : table.held ? "held" : table.round;
  return tile(table.table, now, table.held ? `held for ${table.held}` : table.game, !table.online ? (starting ? "awaited" : "off") : table.held ? "held" : "");
}

function hitRow(hit) {
  const row = element("tr", "");
  for (const part of ["time", "hit", "table", "what"]) row.append(element("td", part, hit[part]));
  // Each bank counts its own hits from H1.
  if (hit.bank) row.querySelector(".hit").append(element("span", "bank", hit.bank));
  const sum = element("td", "sum", hit.amount);
  if (hit.envy) sum.append(element("span", "envy", `+ ${hit.envy} envy`));
  if (hit.corrected) sum.append(element("span", "envy", `corrected by ${hit.corrected}`));
  const status = element("td", `status ${hit.status}`, hit.status);
  if (hit.next) status.append(element("span", "next", `${hit.next} it`));
  row.append(sum, status);
  return row;
}

function trouble({ what, next }) {
  const line = element("li", "", what);
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
  if (lost || failed) all.unshift({ what: "The server does not answer: what you see below is old", next: "check whether it runs, and read its log" });
  if (alarms) all.push({ what: alarms, next: "look, and acknowledge, at `/ops/alarms`" });
  if (insecure) all.push({ what: "Connections are not encrypted (insecure = true)", next: "give [listen.tls] a certificate" });
  at("#trouble").classList.toggle("wrong", all.length > 0);
  at("#trouble ul").replaceChildren(...(all.length ? all : [{ what: starting ? "The server has just started: its tables and signs come back now" : "All is in order" }]).map(trouble));
  document.body.dataset.state = lost || failed ? "lost" : all.length ? "wrong" : "good";
}

let last = [];
let alarms = "";
let starting = false;

function fill(floor) {
  [last, alarms, starting] = [floor.troubles, floor.alarms, floor.starting];
  at("#counts").textContent = floor.counts;
  at("#banks").textContent = floor.banks;
  at("#heads").textContent = floor.heads;
  elsewhere = floor.elsewhere;
  for (const name of links.keys()) label(name);
  for (const [name, levels] of Object.entries(floor.terms)) {
    for (const [level, lines] of Object.entries(levels)) {
      levelOf(name, level);
      linkOf(name).terms.get(level).textContent = lines.join("\n");
    }
  }
  at("#clock").textContent = floor.time;
  at("#tables .tiles").replaceChildren(...floor.tables.map(tableTile));
  at("#signs .tiles").replaceChildren(
    ...floor.signs.map((sign) => tile(sign.sign, sign.online ? "on" : starting ? "starting" : "offline", sign.links, sign.online ? "" : starting ? "awaited" : "off")),
  );
  for (const kind of ["tables", "signs"]) at(`#${kind}`).hidden = !floor[kind].length;
  const rows = floor.hits.map(hitRow);
  if (!rows.length) {
    const row = element("tr", "none");
    row.append(element("td", "", "none yet"));
    rows.push(row);
  }
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
