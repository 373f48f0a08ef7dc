// Keeps what somebody typed where the server is gone, a form is refused, or the session ends meanwhile: in this tab
// until it was done. It stands there again for the same person on the same page. The server writes it into the form
// that it refused.

import { say } from "./words.js";

const KEPT = "typed";
const SIGN_OUT = "/ops/sign-out"; // who leaves by themselves leaves nothing behind
const LANGUAGE = "/ops/language"; // the same page comes again, in other words

const signIn = () => document.querySelector("#login");
const refused = () => document.querySelector("[data-refused], .problem-page, main > .problem");
const WRONG = "[aria-invalid], main .problem[autofocus]";
const who = () => document.querySelector(".me .name")?.textContent;
// No secret is kept, nor who the second person is: they sign anew. A field of the address is in the address.
const FIELDS = 'form[method="post"] :is(input:not([type="hidden"], [type="password"], .second *), select)[id]';

function kept() {
  return JSON.parse(sessionStorage.getItem(KEPT));
}

function keep(found) {
  sessionStorage.setItem(KEPT, JSON.stringify(found));
}

const ticked = (field) => field.type === "checkbox" || field.type === "radio";

function typed(sent) {
  const fields = {};
  for (const field of document.querySelectorAll(FIELDS)) {
    // A refused form came with what was typed as its defaults, and was not done.
    const isKept = field.closest("[data-refused]") !== null;
    const isChanged = ticked(field) ? field.checked !== field.defaultChecked : field.value !== (field.defaultValue ?? "");
    if (isKept || isChanged) fields[field.id] = ticked(field) ? field.checked : field.value;
  }
  keep({ who: who(), at: location.pathname, sent, fields });
}

function fill(fields) {
  for (const [id, value] of Object.entries(fields)) {
    const field = document.getElementById(id);
    if (!field?.matches(FIELDS)) continue; // another form stands there now
    if (ticked(field)) field.checked = value;
    else field.value = value;
    for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
}

// A page has come: the sign-in page and a refusal lead back; what was sent and came back otherwise is done.
function come() {
  const found = kept();
  if (!found) return;
  if (signIn() || refused()) {
    keep({ ...found, sent: false });
  } else if (found.sent || !`${found.at}/`.startsWith(`${location.pathname}/`) || found.who !== who()) {
    sessionStorage.removeItem(KEPT);
  } else if (found.at === location.pathname) {
    fill(found.fields); // on the page above it, it waits: from there one goes on to it
  }
}

// The server did not take the form, or nobody knows: its key has it done once, however often it is sent.
function unanswered(event) {
  const form = event.detail.elt;
  if (form.tagName !== "FORM") return;
  // A failure may be quicker than the tap that disables the button, which does so in a timer of its own.
  for (const button of form.querySelectorAll("button")) setTimeout(() => (button.disabled = false));
  let line = form.querySelector(".unanswered");
  if (!line) {
    line = document.createElement("p");
    line.className = "problem unanswered";
    line.setAttribute("role", "alert");
    form.append(line);
  }
  line.textContent = say("The server does not answer. What you typed is still here: send it again, it is done once.");
}

// A page that comes begins at its top; of a refused form what is wrong is seen first.
function showWrong() {
  const wrong = document.querySelector(WRONG);
  if (!wrong) return;
  wrong.focus({ preventScroll: true });
  requestAnimationFrame(() => wrong.scrollIntoView({ block: "center" }));
}

export function keepTyped() {
  document.addEventListener("input", (event) => {
    if (event.target.matches(FIELDS) && !signIn()) typed(false);
  });
  document.addEventListener("submit", (event) => {
    const action = event.target.getAttribute("action");
    if (action === SIGN_OUT) sessionStorage.removeItem(KEPT);
    else if (action === LANGUAGE) return;
    else if (event.target.method === "post" && !signIn()) typed(true);
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target === document.body) come();
  });
  document.body.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target === document.body) showWrong();
  });
  document.body.addEventListener("htmx:sendError", unanswered);
  come();
}
