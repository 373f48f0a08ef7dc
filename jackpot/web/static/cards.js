// Playing cards of a hand: ranks and suits drawn as paths, so that every player shows the same.

import { element } from "./odometer.js";

const DRAWING = "http://www.w3.org/2000/svg";
// On a square of 100. A star stands for what is not known: a suit that any could be.
const PIPS = {
  s: "M50 4C38 26 10 38 10 62c0 17 21 25 34 12-1 10-5 16-12 22h36c-7-6-11-12-12-22 13 13 34 5 34-12C90 38 62 26 50 4z",
  h: "M50 96C38 74 6 58 6 32 6 6 40 2 50 26 60 2 94 6 94 32c0 26-32 42-44 64z",
  d: "M50 2 88 50 50 98 12 50z",
  c: "M50 6a22 22 0 0 0-18 35A22 22 0 1 0 44 74c-1 10-5 16-12 22h36c-7-6-11-12-12-22a22 22 0 1 0 12-33A22 22 0 0 0 50 6z",
  "*": "M50 3 64 36l35 3-27 23 8 35-30-19-30 19 8-35L1 39l35-3z",
};
// What a court card wears above its pip, on the same square.
const CROWNS = {
  K: "M50 2l6 10-6 10-6-10zM8 34a7 7 0 1 1 9 6l16 20 13-32a6 6 0 1 1 8 0l13 32 16-20a7 7 0 1 1 9 6L84 82H16zM15 87h70v11H15z",
  Q: "M50 14a6 6 0 1 1 1 0l9 34 14-26a6 6 0 1 1 6 4l0 26 12-14a5 5 0 1 1 4 4L84 82H16L4 42a5 5 0 1 1 4-4l12 14 0-26a6 6 0 1 1 6-4l14 26zM18 87h64v11H18z",
  J: "M12 82C10 44 30 24 62 22 74 10 88 8 96 2c0 22-10 38-26 44 8 10 14 22 16 36zM12 87h74v11H12z",
};
// What is true of every hand of this name, whatever its suit; others are known by their name alone.
const TRUE = {
  "royal-flush": "A* K* Q* J* T*",
  "mini-royal": "A* K* Q*",
  "four-aces": "As Ah Ad Ac",
};
// An example of each hand, by how many cards are dealt.
const EXAMPLES = {
  5: {
    "royal-flush": "As Ks Qs Js Ts",
    "straight-flush": "9h 8h 7h 6h 5h",
    "four-of-a-kind": "Ks Kh Kd Kc 7s",
    "full-house": "Qs Qh Qd 8c 8s",
    flush: "Kd Jd 8d 6d 3d",
    straight: "9s 8h 7d 6c 5s",
    "three-of-a-kind": "Js Jh Jd 9c 4s",
  },
  4: {
    "four-aces": "As Ah Ad Ac",
    "four-of-a-kind": "Ks Kh Kd Kc",
    "straight-flush": "9h 8h 7h 6h",
    flush: "Kd Jd 8d 3d",
    straight: "9s 8h 7d 6c",
    "three-of-a-kind": "Js Jh Jd 4c",
  },
  3: {
    "mini-royal": "As Ks Qs",
    "straight-flush": "9h 8h 7h",
    "three-of-a-kind": "Js Jh Jd",
    straight: "9s 8h 7d",
    flush: "Kd Jd 8d",
  },
};

function drawn(outline, className) {
  const drawing = document.createElementNS(DRAWING, "svg");
  drawing.setAttribute("viewBox", "0 0 100 100");
  drawing.setAttribute("class", className);
  const path = document.createElementNS(DRAWING, "path");
  path.setAttribute("d", outline);
  drawing.append(path);
  return drawing;
}

const pip = (suit, className) => drawn(PIPS[suit], className);

function card(name, place, count) {
  const [rank, suit] = name;
  const made = element("span", "playing-card");
  made.dataset.suit = suit;
  made.style.setProperty("--place", place);
  made.style.setProperty("--turn", count < 2 ? 0 : (2 * place) / (count - 1) - 1);
  const index = element("i", "corner");
  index.append(element("b", "", rank === "T" ? "10" : rank), pip(suit, "small"));
  made.append(index);
  made.classList.toggle("court", rank in CROWNS);
  if (rank in CROWNS) made.append(drawn(CROWNS[rank], "crown"));
  made.append(pip(suit, "large"));
  return made;
}

// Cards of these names, such as "As", in their order.
export function dealt(names) {
  return names.map((name, place) => card(name, place, names.length));
}

const written = (text) => dealt(text.split(" "));

// The cards that any hand of this name has; none where only its name is known.
export function known(hand) {
  return TRUE[hand] === undefined ? [] : written(TRUE[hand]);
}

// The cards of an example of a hand, as "As" each; none where there is no example.
export const named = (hand, count) => EXAMPLES[count]?.[hand]?.split(" ") ?? [];

// An example of a hand. count: how many cards the game deals for it. only: the suits that it has to be of, or none.
export function example(hand, count, only = "") {
  const found = EXAMPLES[count]?.[hand];
  if (found === undefined) return [];
  const isOther = only !== "" && !only.includes(found[1]);
  return written(isOther ? found.replaceAll(found[1], only[0]) : found);
}

// Tiles that spell a word, a letter each.
export function spelled(word) {
  const letters = Array.from(word);
  return letters.map((letter, place) => {
    const tile = element("span", "playing-card tile");
    tile.style.setProperty("--place", place);
    tile.style.setProperty("--turn", letters.length < 2 ? 0 : (2 * place) / (letters.length - 1) - 1);
    tile.append(element("b", "", letter.toUpperCase()));
    return tile;
  });
}

const WRITTEN = { s: "\u2660", h: "\u2665", d: "\u2666", c: "\u2663" };

// The pips of these suits, said aloud as one.
export function suits(names) {
  const made = element("span", "suits");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", Array.from(names, (suit) => WRITTEN[suit]).join(" "));
  for (const suit of names) {
    const one = pip(suit, "suit");
    one.dataset.suit = suit;
    made.append(one);
  }
  return made;
}
