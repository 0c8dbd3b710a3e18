// What the pages can do beyond being read: sorting, filters, hints, and the record of the run.
"use strict";
(() => {
  // The record of the run, which differs from run to run.
  const list = document.getElementById("record");
  if (list && window.RUN) {
    for (const [name, value] of window.RUN.facts) {
      const line = document.createElement("div");
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      line.append(term, text);
      list.append(line);
    }
  }
  const times = document.getElementById("times");
  if (times && window.RUN) {
    for (const row of window.RUN.times) {
      const line = times.tBodies[0].insertRow();
      row.forEach((value, i) => {
        const cell = document.createElement(i ? "td" : "th");
        if (!i) cell.scope = "row";
        cell.textContent = value;
        line.append(cell);
      });
    }
    const graph = document.getElementById("graph");
    graph.innerHTML = window.RUN.graph;
  }

  // Tables: a click on a head sorts the rows of each block by what the cell shows first.
  const shown = (cell) => {
    if (!cell) return "";
    const copy = cell.cloneNode(true);
    copy.querySelectorAll(".published, small, sup, .hidden").forEach((part) => part.remove());
    return (copy.textContent.trim() || cell.textContent).trim();
  };
  const number = (text) => {
    const match = /^[^\d\u2212+.-]*([+\u2212-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)/.exec(text);
    return match ? parseFloat(match[1].replace("\u2212", "-").replace(/,/g, "")) : NaN;
  };
  const compared = (a, b) => {
    const [x, y] = [number(a), number(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return a.localeCompare(b);
  };
  const place = (cell) => {
    let column = 0;
    for (let c = cell.previousElementSibling; c; c = c.previousElementSibling) column += c.colSpan;
    return column;
  };
  const at = (row, column) => {
    let start = 0;
    for (const cell of row.cells) {
      if (column < start + cell.colSpan) return cell;
      start += cell.colSpan;
    }
    return null;
  };
  const sort = (table, head, button) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("[aria-sort]").forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const column = place(head);
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((r) => !r.classList.contains("metric"));
      const keyed = rows.map((row) => [shown(at(row, column)), row]);
      keyed.sort((a, b) => (down ? -1 : 1) * compared(a[0], b[0]));
      keyed.forEach(([, row]) => body.append(row));
    }
    button.focus();
  };
  for (const table of document.querySelectorAll("main table")) {
    const rows = [...table.tBodies].reduce((n, b) => n + b.rows.length, 0);
    const heads = table.tHead ? [...table.tHead.rows].pop() : null;
    const spans = [...table.tBodies].some((b) => b.querySelector("[rowspan]"));
    if (rows < 3 || !heads || spans) continue;
    for (const head of heads.cells) {
      if (head.tagName !== "TH" || !head.textContent.trim()) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.title = "Sort by this column";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head, button));
    }
    if (rows < 9) continue;
    const label = document.createElement("label");
    label.className = "filter";
    label.textContent = "Only rows with";
    const box = document.createElement("input");
    box.type = "search";
    label.append(box);
    (table.closest(".scroll") ?? table).before(label);
    box.addEventListener("input", () => {
      const wanted = box.value.toLowerCase();
      for (const row of table.querySelectorAll("tbody tr:not(.metric)"))
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
  }

  // What is larger than its box says that there is more, and how to see it.
  const more = (box) => {
    const across = box.scrollWidth > box.clientWidth + 2;
    const down = box.scrollHeight > box.clientHeight + 2;
    if (!across && !down) return "";
    const rows = box.querySelectorAll("tbody tr:not(.metric):not([hidden])").length;
    const what = down && rows ? `${rows} rows, more than the box shows` : "Larger than its box";
    if (across && down) return `\u2922 ${what}: scroll it down and sideways.`;
    return down ? `\u2195 ${what}: scroll it down.` : "\u27f7 Wider than the page: scroll it sideways.";
  };
  const hint = () => {
    for (const box of document.querySelectorAll("main .scroll, main section pre")) {
      const next = box.nextElementSibling;
      let hint = next && next.classList.contains("hint") ? next : null;
      const text = more(box);
      if (text && !hint) {
        hint = document.createElement("p");
        hint.className = "hint";
        box.after(hint);
      }
      if (hint && !text) hint.remove();
      else if (text && hint.textContent !== text) hint.textContent = text;
    }
  };
  hint();
  addEventListener("resize", hint);
  addEventListener("load", hint);
  document.querySelectorAll("details").forEach((box) => box.addEventListener("toggle", hint));

  // A link into a closed box opens it; printing opens all.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details"))
      box.open = true;
    if (target) target.scrollIntoView();
  };
  if (location.hash) reveal();
  addEventListener("hashchange", reveal);
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details:not([open])")];
    closed.forEach((box) => (box.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((box) => (box.open = false)));
  document.addEventListener("click", (event) => {
    const menu = document.querySelector(".menu");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });

})();
