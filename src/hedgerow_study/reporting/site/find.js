// The search: a field with a list below it (combobox and listbox), which forgives one letter.
"use strict";
(() => {
  const form = document.getElementById("site-search");
  if (!window.SEARCH || !form) return;
  const up = document.body.dataset.up;
  const input = document.getElementById("site-words");
  const panel = document.getElementById("site-panel");
  const status = document.getElementById("site-status");
  const list = document.getElementById("site-found");
  const MOST = 30;
  //: Words of so many letters may differ by one.
  const FORGIVEN = 4;
  let active = -1;
  form.hidden = false;

  // Each entry in small letters, and all words that there are, made when first asked for.
  let entries = null;
  let vocabulary = null;
  const prepare = () => {
    if (entries) return;
    entries = window.SEARCH.map((entry) => {
      const title = entry.t.toLowerCase();
      const text = `${title} ${entry.k} ${entry.x.toLowerCase()}`;
      return { entry, title, text, words: new Set(text.match(/[\p{L}\p{N}]+/gu)) };
    });
    vocabulary = new Set(entries.flatMap((e) => [...e.words]));
  };

  // Whether one letter added, left out, changed, or two beside each other swapped make a into b.
  const near = (a, b) => {
    if (a === b) return true;
    if (Math.abs(a.length - b.length) > 1) return false;
    let i = 0;
    while (i < a.length && a[i] === b[i]) i++;
    if (a.length > b.length) return a.slice(i + 1) === b.slice(i);
    if (a.length < b.length) return a.slice(i) === b.slice(i + 1);
    if (a.slice(i + 1) === b.slice(i + 1)) return true;
    return a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
  };
  // Words that a typed one may mean: also their beginnings, for who is still typing.
  const meant = (typed) => {
    if (typed.length < FORGIVEN) return [];
    const lengths = [typed.length - 1, typed.length, typed.length + 1];
    return [...vocabulary].filter((word) =>
      lengths.some((n) => n >= FORGIVEN - 1 && n <= word.length && near(typed, word.slice(0, n))));
  };

  // 3 for a word in the title, 2 elsewhere, 1 for one that is near: every word has to be there.
  const ranked = (typed) => {
    const close = typed.map(meant);
    const found = [];
    for (const e of entries) {
      let sum = 0;
      const all = typed.every((word, i) => {
        const rank = e.title.includes(word) ? 3 : e.text.includes(word) ? 2
          : close[i].some((other) => e.words.has(other)) ? 1 : 0;
        sum += rank;
        return rank > 0;
      });
      if (all) found.push([sum, e.entry]);
    }
    return found.sort((a, b) => b[0] - a[0]).map(([, entry]) => entry);
  };

  const options = () => [...list.children];
  const close = () => {
    panel.hidden = true;
    input.setAttribute("aria-expanded", "false");
    choose(-1);
  };
  const choose = (place) => {
    active = place;
    options().forEach((option, i) => option.setAttribute("aria-selected", String(i === place)));
    if (place < 0) return input.removeAttribute("aria-activedescendant");
    const option = list.children[place];
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const search = () => {
    const typed = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    if (!typed.length) return close();
    prepare();
    const found = ranked(typed);
    found.slice(0, MOST).forEach((entry, i) => {
      const option = document.createElement("a");
      option.id = `site-found-${i}`;
      option.href = up + entry.u;
      option.tabIndex = -1;
      option.setAttribute("role", "option");
      option.textContent = entry.t;
      const kind = document.createElement("small");
      kind.textContent = entry.k;
      option.append(kind);
      list.append(option);
    });
    list.hidden = !found.length;
    const shown = found.length > MOST ? `, the first ${MOST} are shown` : "";
    status.textContent = found.length
      ? `${found.length} found${shown}. Arrow keys choose, Enter opens.`
      : "Nothing is called so.";
    panel.hidden = false;
    input.setAttribute("aria-expanded", String(found.length > 0));
    choose(-1);
  };

  input.addEventListener("input", search);
  input.addEventListener("focus", () => input.value && search());
  input.addEventListener("keydown", (event) => {
    const n = list.children.length;
    const open = !panel.hidden && n > 0;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !event.altKey) {
      if (!open) return search();
      // Beyond both ends lies the field itself.
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose(((active + 1 + step + n + 1) % (n + 1)) - 1);
      event.preventDefault();
    } else if (event.key === "Escape") {
      if (panel.hidden) input.value = "";
      close();
      event.preventDefault();
    } else if (event.key === "Tab") close();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const option = list.children[Math.max(active, 0)];
    if (option && !panel.hidden) location.href = option.href;
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) close();
  });
  // A key for all pages, as elsewhere: not where something is typed.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
