// The words of a page: the server's catalogue of the page's language; English where it has none.

const { words } = JSON.parse(document.body.dataset.settings);

// text: the English sentence, which names the catalogue's. given: what stands in its braces.
export function say(text, given = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => given[name]);
}
