// The drawer behind the cells of a table: which rows of which file a number rests on.
"use strict";
(() => {
  const up = document.body.dataset.up;
  const MOST = 40;
  const loaded = new Map();
  let drawer = null;
  let from = null;

  const make = (name, text, parent, className) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    if (parent) parent.append(node);
    return node;
  };

  // The rows of a table come with a file of their own, when they are first asked for.
  const load = (id) => {
    if (!loaded.has(id))
      loaded.set(id, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${up}cells/${id}.js`;
        script.onload = () => resolve(window.CELLS[id]);
        script.onerror = () => reject(new Error(`cells/${id}.js is missing`));
        document.head.append(script);
      }));
    return loaded.get(id);
  };

  const close = () => {
    if (!drawer || drawer.hidden) return;
    drawer.hidden = true;
    document.querySelectorAll("td.asked").forEach((cell) => cell.classList.remove("asked"));
    if (from) from.focus();
  };

  const opened = () => {
    if (!drawer) {
      drawer = make("div", undefined, document.body);
      drawer.id = "drawer";
      drawer.setAttribute("role", "dialog");
      drawer.setAttribute("aria-labelledby", "drawer-title");
      drawer.tabIndex = -1;
      document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    }
    drawer.replaceChildren();
    drawer.hidden = false;
    const head = make("div", undefined, drawer, "head");
    make("h2", "What this cell rests on", head).id = "drawer-title";
    const button = make("button", "Close", head);
    button.type = "button";
    button.addEventListener("click", close);
    return drawer;
  };

  // Columns in which rows do not differ are said once.
  const rowsOf = (source, listed, value, parent) => {
    if (typeof listed === "number") {
      make("p", `${listed < 10000 ? listed : listed.toLocaleString("en")} rows of ${source.files.length > 1 ? "data sets" : source.files[0]}`, parent);
      return;
    }
    const rows = listed.map((i) => source.rows[i]);
    const files = [...new Set(rows.map((row) => source.files[row[0]]))];
    const columns = source.columns.map((name, i) => [name, i + 2]);
    const differ = columns.filter(([name, i]) => name === value || rows.some((row) => row[i] !== rows[0][i]));
    const alike = columns.filter((column) => !differ.includes(column) && rows.length && rows[0][column[1]] !== null);
    const few = files.length > 3 ? `${files.slice(0, 3).join(", ")} and ${files.length - 3} more` : files.join(", ");
    make("p", `${few}${alike.length ? `; ${alike.map(([name, i]) => `${name} ${rows[0][i]}`).join(", ")}` : ""}`, parent, "of");
    const box = make("div", undefined, parent, "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Rows");
    const table = make("table", undefined, box, "plain");
    const line = table.createTHead().insertRow();
    for (const name of ["row", ...differ.map(([name]) => name)]) {
      const cell = make("th", name, line);
      cell.scope = "col";
    }
    const body = table.createTBody();
    for (const row of rows.slice(0, MOST)) {
      const one = body.insertRow();
      make("td", row[1], one);
      for (const [, i] of differ) make("td", row[i] === null ? "–" : row[i], one);
    }
    if (rows.length > MOST) make("p", `and ${rows.length - MOST} more; the command below has all`, parent, "note");
  };

  const show = (id, number, cellDocument) => {
    const panel = opened();
    make("p", `${id}, row ${number}`, panel, "note");
    const seen = new Map();
    for (const [column, printed, says, selections] of cellDocument.cells[number] || []) {
      const part = make("section", undefined, panel);
      const head = make("p", undefined, part);
      make("strong", column, head);
      head.append(`: ${says} = `);
      make("strong", printed === null ? "–" : printed, head);
      selections.forEach((s, place) => {
        const which = ["first", "second"][place] || `number ${place + 1}`;
        if (selections.length > 1) make("p", `The ${which}:`, part, "which");
        if (seen.has(s)) { make("p", `the rows of ${seen.get(s)}`, part, "of"); return; }
        seen.set(s, selections.length > 1 ? `${column}, the ${which}` : column);
        const [of, value, listed] = cellDocument.selections[s];
        rowsOf(cellDocument.sources[of], listed, value, part);
      });
    }
    if (!cellDocument.cells[number]) make("p", "Nothing of it was measured in this run.", panel);
    const file = make("p", "The table: ", panel, "note");
    make("a", `reports/tables/${id}.csv`, file).href = `${up}../tables/${id}.csv`;
    file.append(". The same with checksums, trees and seeds, back to the raw file:");
    make("pre", `hedgerow trace ${id}:#${number}`, panel);
    panel.focus();
  };

  const ask = (cell) => {
    const id = cell.closest("table").dataset.cells;
    close();
    from = cell;
    cell.classList.add("asked");
    load(id).then(
      (cellDocument) => show(id, cell.dataset.row, cellDocument),
      (error) => make("p", error.message, opened()),
    );
  };

  // In a table one cell takes part in the order of tabs; arrows lead to the others.
  for (const table of document.querySelectorAll("table[data-cells]")) {
    const cells = [...table.querySelectorAll("td[data-row]")];
    if (!cells.length) continue;
    cells.forEach((cell, i) => { cell.tabIndex = i ? -1 : 0; });
    const hint = make("p", "A number shows what it rests on when it is clicked, or by Enter; arrow keys go from cell to cell.", undefined, "note asks");
    (table.closest(".scroll") || table).after(hint);
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td[data-row]");
      if (cell && !event.target.closest("a, button")) ask(cell);
    });
    table.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td[data-row]");
      if (!cell) return;
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); ask(cell); return; }
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      const lines = [...table.querySelectorAll("tr")].map((line) => [...line.querySelectorAll("td[data-row]")]).filter((line) => line.length);
      const row = lines.findIndex((line) => line.includes(cell));
      const place = lines[row].indexOf(cell);
      const line = lines[Math.min(Math.max(row + step[0], 0), lines.length - 1)];
      const next = line[Math.min(Math.max(place + step[1], 0), line.length - 1)];
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
})();
