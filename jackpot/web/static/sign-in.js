// The sign-in page. It says that a password is being checked. Back, and a reload, ask for the page again: they send no
// password once more.

const form = document.querySelector("form");
const { back, first } = form.elements;
const asked = new URLSearchParams(first ? { back: back.value, first: "yes" } : { back: back.value });
history.replaceState(null, "", `/ops/sign-in?${asked}`);

function sent(isSent) {
  form.classList.toggle("sent", isSent);
  form.querySelector("button").disabled = isSent;
}

form.addEventListener("submit", () => setTimeout(() => sent(true)));
// The browser may show the page as it was left.
addEventListener("pageshow", (event) => event.persisted && sent(false));
