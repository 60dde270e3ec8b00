// Search inside the browser: every word of the query must begin a word of the section (Chinese: stand anywhere in it).
"use strict";

const MOST = 40;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const stem = (word) => (word.length > 5 ? word.replace(/(?:ations?|ings?|ized?|izes|ed|es|s)$/, "") : word.replace(/(?<=..)s$/, ""));

function patterns(query) {
  const words = plain(query).match(/\p{Script=Han}+|[\p{L}\p{N}_]+/gu) || [];
  return words.map((word) => (/\p{Script=Han}/u.test(word) ? new RegExp(word, "gu") : new RegExp(`(?<![\\p{L}\\p{N}])${stem(word)}`, "gu")));
}

function score([url, page, section, text], words) {
  const heading = plain(section || page);
  const file = section ? "" : plain(url.replace(/^.*\//, "")); // softmax.html is the page on softmax
  const title = plain(page);
  const body = plain(text);
  let total = 0;
  for (const word of words) {
    const place = heading.search(word);
    const inHeading = place < 0 ? 0 : place === 0 ? 26 : 20;
    const inTitle = title.search(word) >= 0 ? 6 : 0;
    const inBody = Math.min((body.match(word) || []).length, 5);
    if (!inHeading && !inBody && !inTitle) return 0;
    if (!inHeading && !inBody && section) return 0; // the page itself is listed
    total += inHeading + inTitle + inBody + (file.search(word) === 0 ? 4 : 0);
  }
  return total + (section ? 0 : 1);
}

// The text around the first hit, as nodes: accents may shift positions by a letter or two, never more than a word.
function snippet(text, words) {
  const hits = words.map((word) => plain(text).search(word)).filter((place) => place >= 0);
  const from = hits.length ? Math.max(0, Math.min(...hits) - 60) : 0;
  const start = from ? text.indexOf(" ", from) + 1 : 0;
  const part = text.slice(start, start + 200);
  const line = document.createElement("p");
  let done = 0;
  const marks = words.flatMap((word) => [...part.toLowerCase().matchAll(word)]).sort((a, b) => a.index - b.index);
  for (const mark of marks) {
    if (mark.index < done) continue;
    const strong = document.createElement("mark");
    strong.textContent = part.slice(mark.index, mark.index + mark[0].length);
    line.append(part.slice(done, mark.index), strong);
    done = mark.index + mark[0].length;
  }
  line.append(part.slice(done), start + 200 < text.length ? " …" : "");
  if (start) line.prepend("… ");
  return line;
}

function show(query) {
  const words = patterns(query);
  const found = words.length
    ? window.searchIndex
        .map((entry) => ({ entry, points: score(entry, words) }))
        .filter((result) => result.points)
        .sort((a, b) => b.points - a.points)
    : [];
  const items = found.slice(0, MOST).map(({ entry: [url, page, section, text] }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = url;
    link.textContent = section || page;
    item.append(link);
    if (section) {
      const where = document.createElement("span");
      where.textContent = page;
      item.append(where);
    }
    item.append(snippet(text, words));
    return item;
  });
  document.getElementById("results").replaceChildren(...items);
  const places = found.length === 1 ? "1 place" : `${found.length} places`;
  document.getElementById("summary").textContent = query.trim() ? `${found.length ? places : "Nothing"} found for “${query.trim()}”` : "";
}

const input = document.getElementById("query");
const read = () => {
  input.value = new URLSearchParams(location.hash.slice(1)).get("q") || "";
  show(input.value);
};
input.addEventListener("input", () => show(input.value));
window.addEventListener("hashchange", read);
read();
