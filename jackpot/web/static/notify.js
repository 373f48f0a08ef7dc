// Notifications of what waits, for a person who looks elsewhere: the browser's own, a sound and the phone's vibration,
// where they switched that on and while this page is open, in front or not.

import { say } from "./words.js";

const SWITCH = "jackpot-notify";
// Two notes that are heard over a floor, and a vibration of the same length.
const NOTES_HZ = [880, 1175];
const NOTE_S = 0.18;
const LOUD = 0.5;
const VIBRATION_MS = [180, 60, 180];

const known = new Set();
let sound = null;

const isOn = () => localStorage.getItem(SWITCH) === "on";
const canNotify = () => window.isSecureContext && "Notification" in window;

// What keeps the browser from notifying; "" where nothing does. The sound needs none of it.
function why() {
  if (!canNotify()) return say("sound alone: notifications need https");
  return Notification.permission === "denied" ? say("sound alone: this browser blocks notifications") : "";
}

function show() {
  for (const button of document.querySelectorAll("#notify")) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isOn()));
    button.textContent = isOn() ? say("Notifying") : say("Notify me");
    document.querySelector("#notify-why").textContent = isOn() ? why() : "";
  }
}

// A browser gives no sound before somebody has touched the page.
function awaken() {
  if (!isOn()) return;
  sound ??= new AudioContext();
  sound.resume();
}

function chime() {
  navigator.vibrate?.(VIBRATION_MS);
  if (sound?.state !== "running") return;
  NOTES_HZ.forEach((hertz, place) => {
    const [note, volume] = [sound.createOscillator(), sound.createGain()];
    const at = sound.currentTime + place * NOTE_S;
    note.frequency.value = hertz;
    volume.gain.setValueAtTime(LOUD, at);
    volume.gain.exponentialRampToValueAtTime(0.01, at + NOTE_S);
    note.connect(volume).connect(sound.destination);
    note.start(at);
    note.stop(at + NOTE_S);
  });
}

function notify(name, says, href) {
  if (!canNotify() || Notification.permission !== "granted") return;
  try {
    // Pages of one device that show the same thing replace each other's notification by its tag.
    const shown = new Notification(says, { tag: name, body: document.title.replace(/^\(\d+\) /, ""), icon: "/static/icon.svg" });
    shown.onclick = () => {
      window.focus();
      location.assign(href);
    };
  } catch {
    // A phone's browser may leave this to apps that are installed: sound and vibration remain.
  }
}

// Tells what is in `part` and was not there before; nothing on the first look, for the person sees that.
export function tellNews(part, isFirst) {
  const news = [...part.querySelectorAll("[data-news]")].filter((one) => !known.has(one.dataset.news));
  for (const one of news) known.add(one.dataset.news);
  if (isFirst || !news.length || !isOn()) return;
  chime();
  for (const one of news) notify(one.dataset.news, one.dataset.says, one.closest("a").href);
}

export function listen() {
  document.addEventListener("click", async (event) => {
    if (event.target.id !== "notify") return;
    localStorage.setItem(SWITCH, isOn() ? "off" : "on");
    show();
    awaken();
    if (isOn() && canNotify() && Notification.permission === "default") await Notification.requestPermission();
    show();
  });
  for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, awaken);
  document.body.addEventListener("htmx:afterSettle", show);
  show();
}
