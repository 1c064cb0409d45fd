"use strict";
// Keyboard shortcuts. Comfort only: everything they do can be reached by Tab as well.

const help = [
  ["/", "go to the search"],
  ["j, k", "next and previous row of a table"],
  ["Enter", "open the row"],
  ["n, p", "next and previous page"],
  ["g then o, r, c, h", "overview, runs, compare, history"],
  ["?", "show or hide this help"],
];
const places = { o: "/", r: "/runs", c: "/compare", h: "/history" };
let waiting = false;

function rows() {
  return [...document.querySelectorAll("table.list tbody th a")];
}

function move(by) {
  const all = rows();
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1);
  if (all[next]) all[next].focus();
}

function toggleHelp() {
  let box = document.getElementById("shortcuts");
  if (!box) {
    box = document.createElement("dialog");
    box.id = "shortcuts";
    const heading = document.createElement("h2");
    heading.textContent = "Keyboard shortcuts";
    const list = document.createElement("dl");
    for (const [key, does] of help) {
      const term = document.createElement("dt");
      const words = document.createElement("dd");
      term.textContent = key;
      words.textContent = does;
      list.append(term, words);
    }
    box.append(heading, list);
    document.body.append(box);
  }
  if (box.open) box.close();
  else box.showModal();
}

addEventListener("keydown", (event) => {
  const writes = event.target.closest("input, select, textarea");
  if (writes && event.key === "Escape") writes.blur();
  if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
  if (waiting) {
    waiting = false;
    if (places[event.key]) location.href = places[event.key];
    return;
  }
  const search = document.getElementById("q") ?? document.querySelector("main input");
  const actions = {
    "/": () => search && (search.focus(), search.select()),
    "j": () => move(1),
    "k": () => move(-1),
    "n": () => document.querySelector("a[rel=next]")?.click(),
    "p": () => document.querySelector("a[rel=prev]")?.click(),
    "g": () => (waiting = true),
    "?": toggleHelp,
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});
