// Live values of a page: follows the server's WebSocket, reconnects by itself, and reports when no valid value has come
// for too long.

// The whole snapshot comes at least every 5 s: nothing for 8 s means that the server is lost.
const SILENT_MS = 8000;
// A server that is restarted is back within this; a shorter gap is not shown.
const GONE_MS = 3000;
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 4000;
const LOOK_MS = 250;

// Calls told(message) for each message that is not older than one before, and lost(true | false) as it changes.
export function follow(links, told, lost) {
  const query = links === null ? "" : `?links=${links.map(encodeURIComponent).join(",")}`;
  const url = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws/meters${query}`;
  let socket = null;
  let revisions = new Map();
  let heard = performance.now();
  let goneSince = performance.now();
  let retryMs = RETRY_FIRST_MS;
  let retryAt = 0;
  let isLost = null;

  function connect() {
    const mine = new WebSocket(url);
    socket = mine;
    revisions = new Map();
    mine.onmessage = (event) => {
      if (socket === mine) {
        heard = performance.now();
        take(JSON.parse(event.data));
      }
    };
    mine.onclose = () => {
      if (socket === mine) drop();
    };
  }

  function drop() {
    const old = socket;
    socket = null;
    if (goneSince === null) goneSince = performance.now();
    retryAt = performance.now() + retryMs * (0.5 + Math.random() / 2);
    retryMs = Math.min(2 * retryMs, RETRY_MAX_MS);
    if (old !== null) {
      old.onmessage = old.onclose = null;
      old.close();
    }
  }

  function take(message) {
    if (message.t === "welcome") {
      goneSince = null;
      retryMs = RETRY_FIRST_MS;
    } else if (message.t === "meters") {
      if (message.rev < (revisions.get(message.bank) ?? 0)) return;
      revisions.set(message.bank, message.rev);
    }
    told(message);
    if (message.t !== "welcome") say(false); // the first values are there
  }

  function say(value) {
    if (isLost !== value) {
      isLost = value;
      lost(value);
    }
  }

  function look() {
    const now = performance.now();
    if (socket !== null && now - heard > SILENT_MS) drop();
    if (goneSince !== null && now - goneSince > GONE_MS) say(true);
    if (socket === null && now >= retryAt) {
      heard = now;
      connect();
    }
  }

  connect();
  setInterval(look, LOOK_MS);
}
