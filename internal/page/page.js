"use strict";
(() => {
  document.documentElement.classList.add("js");
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const print = matchMedia("print");
  const paper = { matches: print.matches };

  // Tables: the button of a head sorts by its column; a second press turns it round.
  const key = (cell) => {
    const v = cell.dataset.v;
    return v === undefined ? cell.textContent.trim() : v === "" ? -Infinity : Number(v);
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  for (const table of document.querySelectorAll("table.sorts")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((th, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const down = th.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[column]), row]);
        rows.sort((x, y) => down ? compare(y[0], x[0]) : compare(x[0], y[0]));
        table.tBodies[0].append(...rows.map((r) => r[1]));
      });
    });
  }

  // Above the table of a compared figure stands a drawing of its rows, which the table says in numbers, too.
  const draw = (parent, name, attributes, text = "") => {
    const part = document.createElementNS(parent.namespaceURI, name);
    for (const [k, v] of Object.entries(attributes)) part.setAttribute(k, v);
    part.textContent = text;
    parent.append(part);
  };
  for (const table of document.querySelectorAll("table.spread")) {
    const rows = [...table.tBodies[0].rows].map(({ cells }) => {
      const [mean, from, to, least, most] = [2, 3, 4, 7, 8].map((i) => cells[i].dataset.v === "" ? NaN : Number(cells[i].dataset.v));
      return { name: cells[0].textContent, mean, from: Number.isNaN(from) ? mean : from, to: Number.isNaN(to) ? mean : to, least, most };
    });
    if (!rows.length) continue;
    const low = Math.min(...rows.flatMap((r) => [r.from, r.least])), high = Math.max(...rows.flatMap((r) => [r.to, r.most]));
    const at = (v) => high > low ? 10 + 380 * (v - low) / (high - low) : 200;
    const end = rows.length * 34, picture = table.closest(".wide").previousElementSibling.querySelector("svg");
    picture.setAttribute("viewBox", `0 0 400 ${end + 22}`);
    for (const [v, anchor] of high > low ? [[low, "start"], [high, "end"]] : [[low, "middle"]]) {
      draw(picture, "line", { x1: at(v), x2: at(v), y1: 0, y2: end, stroke: "currentColor", "stroke-opacity": 0.15 });
      draw(picture, "text", { x: at(v), y: end + 12, "text-anchor": anchor, fill: "currentColor", "font-size": 10 }, String(Number(v.toPrecision(5))));
    }
    rows.forEach((r, i) => {
      const y = i * 34 + 23, ink = { y1: y, y2: y, stroke: "#0072b2" };
      const long = r.name.length > 55 ? { textLength: 390, lengthAdjust: "spacingAndGlyphs" } : {};
      draw(picture, "text", { x: 0, y: y - 12, fill: "currentColor", "font-size": 11, ...long }, r.name);
      draw(picture, "line", { x1: at(r.least), x2: at(r.most), "stroke-width": 1.5, ...ink });
      draw(picture, "line", { x1: at(r.from), x2: at(r.to), "stroke-width": 5, ...ink });
      draw(picture, "circle", { cx: at(r.mean), cy: y, r: 4, fill: "#0072b2" });
    });
  }

  // A table that is wider than its place is folded: a block for each row, each value behind the name of its column. Tables of
  // many kinds of values are read by column: where there is some room they are pushed instead.
  const fold = (box) => {
    const table = box.querySelector("table");
    if (!table || !table.tHead || paper.matches) return;
    table.classList.remove("folds");
    const wide = box.scrollWidth > box.clientWidth + 1 && (table.classList.contains("key") || box.clientWidth < 900);
    if (wide && !table.dataset.named) {
      const names = [...table.tHead.rows[0].cells].map((th) => th.textContent.trim());
      for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, i) => { cell.dataset.l = names[i]; });
      table.dataset.named = "yes";
    }
    table.classList.toggle("folds", wide);
  };
  const widths = new Map();
  const places = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (widths.get(target) === target.clientWidth) continue; // folding changes the height
      widths.set(target, target.clientWidth);
      fold(target);
    }
  });
  for (const box of document.querySelectorAll(".wide")) places.observe(box);

  // A link to a folded connection unfolds it.
  const unfold = () => {
    const whole = location.hash.length > 1 && document.getElementById(location.hash.slice(1))?.querySelector("details.whole");
    if (whole) whole.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  for (const a of document.querySelectorAll('a[href^="#c"]')) a.addEventListener("click", () => setTimeout(unfold));

  // Colours are those of figures on paper; on a dark ground the dark ones get lighter.
  const ink = (hex) => {
    let c = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const light = () => (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]) / 255;
    if (dark.matches && !paper.matches && Math.max(...c) - Math.min(...c) < 12) c = c.map((v) => 255 - v);
    while (dark.matches && !paper.matches && light() < 0.42) c = c.map((v) => v + (255 - v) * 0.12);
    return `rgb(${c.map(Math.round).join(",")})`;
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const number = (v) => Math.abs(v) >= 1e5 || v !== 0 && Math.abs(v) < 1e-3 ? v.toExponential(2) : String(Number(v.toPrecision(5)));

  const steps = (low, high, most) => {
    const span = high - low;
    let step = 10 ** Math.floor(Math.log10(span / most));
    for (const m of [2, 2.5, 2]) if (span / step > most) step *= m;
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && out.length < 50; i++) out.push(Number((i * step).toPrecision(12)));
    return out;
  };

  // A view is the range of time that all charts of a connection show, in seconds.
  class View {
    constructor(section, charts) {
      const places = [...section.querySelectorAll("[data-chart]")];
      this.charts = places.map((f) => new Chart(this, f, charts[f.dataset.chart]));
      let low = Infinity, high = -Infinity;
      for (const c of this.charts) for (const l of c.chart.layers) for (const t of l.bands ? l.x : [l.x[0], l.x.at(-1)]) if (t !== undefined) { low = Math.min(low, t); high = Math.max(high, t); }
      this.all = low < high ? [Math.min(low, high > 2 * low ? 0 : low), high] : [low - 0.5, low + 0.5];
      this.range = [...this.all];
      this.cursor = null;
      this.readout = section.querySelector(".readout");
      section.querySelector(".tools")?.addEventListener("click", (e) => {
        const act = e.target.dataset.act;
        if (act === "in") this.zoom(0.5); else if (act === "out") this.zoom(2);
        else if (act === "left") this.shift(-0.25); else if (act === "right") this.shift(0.25);
        else if (act === "all") this.show(...this.all);
      });
      for (const b of section.querySelectorAll("button[data-t]")) {
        b.addEventListener("click", () => {
          const t = Number(b.dataset.t), half = Math.max((this.all[1] - this.all[0]) / 40, 1e-5);
          this.cursor = t;
          this.show(t - half, t + half);
          for (let folded = this.charts[0].canvas.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
          this.charts[0].canvas.focus();
          this.charts[0].canvas.scrollIntoView({ block: "center" });
        });
      }
      this.tell();
    }
    zoom(by, at = this.cursor ?? (this.range[0] + this.range[1]) / 2) {
      const [a, b] = this.range;
      if (at < a || at > b) at = (a + b) / 2;
      this.show(at - (at - a) * by, at + (b - at) * by);
    }
    shift(part) {
      const by = (this.range[1] - this.range[0]) * part;
      this.show(this.range[0] + by, this.range[1] + by);
    }
    show(a, b) {
      const [first, last] = this.all, span = Math.min(Math.max(b - a, 1e-6), last - first);
      a = Math.min(Math.max(a, first), last - span);
      this.range = [a, a + span];
      this.tell();
      this.draw();
    }
    point(t) { this.cursor = t; this.tell(); this.draw(); }
    tell() {
      if (!this.readout) return;
      const [a, b] = this.range;
      let text = `Shown: ${number(a)} to ${number(b)} s`;
      if (this.cursor !== null) text += `; at ${number(this.cursor)} s: ` + this.charts.map((c) => c.values(this.cursor)).filter(Boolean).join("; ");
      this.readout.textContent = text;
      this.readout.dataset.from = a;
      this.readout.dataset.to = b;
    }
    draw() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; for (const c of this.charts) c.draw(); });
    }
  }

  // first returns the index of the first value that is at least v.
  const first = (sorted, v) => {
    let lo = 0, hi = sorted.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (sorted[mid] < v) lo = mid + 1; else hi = mid; }
    return lo;
  };

  // at returns the index of a layer's value at a time: the one before on a line, which
  // may be interrupted, the nearest within reach of dots and bars; -1 for none.
  const at = (l, t, near) => {
    const i = first(l.x, t), before = i < l.x.length && l.x[i] === t ? i : i - 1;
    if (l.shape === "line" || l.shape === "steps") {
      const end = l.gap ? Math.max(l.cell || 0, i < l.x.length && l.x[i] - l.x[before] <= l.gap ? Infinity : 0) : Infinity;
      return before >= 0 && t - l.x[before] <= end && (i < l.x.length || before === i || end < Infinity) ? before : -1;
    }
    let best = -1;
    for (const k of [i - 1, i]) if (k >= 0 && k < l.x.length && Math.abs(l.x[k] - t) <= near && (best < 0 || Math.abs(l.x[k] - t) < Math.abs(l.x[best] - t))) best = k;
    return best;
  };

  // A panel of rows has, in each row, words, below them a curve, below that a band: as the figures of plot.
  const row = { band: 0.28, low: 0.32, top: 0.76, words: 0.89, above: 0.16 };
  const white = "#fff";

  // The dashes of a line, pixels: nine patterns, as in the figures of plot.
  const pattern = (l) => (l.dash && (l.shape === "line" || l.shape === "steps") ? [2 + 3 * (l.dash % 3), 2 + 2 * Math.floor(l.dash / 3)] : []);

  // The pixels of each point, the width and the height of a chart on paper: the window says nothing about the width of a sheet.
  const sheetOfPaper = (high) => [2, 700, high];

  class Chart {
    constructor(view, figure, chart) {
      Object.assign(this, { view, chart, canvas: figure.querySelector("canvas"), sheet: document.createElement("canvas"), hidden: new Set(), seen: false });
      const legend = figure.querySelector(".legend");
      for (const name of new Set(chart.layers.map((l) => l.name))) {
        if (!name) continue;
        const b = document.createElement("button"), mark = document.createElement("i");
        b.type = "button";
        b.setAttribute("aria-pressed", "true");
        const l = chart.layers.find((l) => l.name === name);
        mark.dataset.ink = l.ink;
        mark.className = (l.mark || l.shape) + (l.bands && l.dash ? ` stripes${l.dash}` : "");
        const [on, off] = pattern(l);
        if (on) mark.style.background = `repeating-linear-gradient(90deg, currentColor 0 ${on}px, transparent 0 ${on + off}px)`;
        b.append(mark, name);
        b.addEventListener("click", () => {
          if (!this.hidden.delete(name)) this.hidden.add(name);
          b.setAttribute("aria-pressed", String(!this.hidden.has(name)));
          this.draw();
        });
        legend.append(b);
      }
      for (const text of new Set(chart.events.map((e) => `${e[1]} ${e[2]}`))) {
        const note = document.createElement("span");
        note.append(text);
        legend.append(note);
      }
      this.legend = legend;
      this.high = 260 * Math.max(1, (chart.rows?.length ?? 0) / 3);
      this.canvas.style.height = `${this.high}px`;
      this.listen();
      new ResizeObserver(() => this.draw()).observe(this.canvas);
      new IntersectionObserver((entries) => { this.seen = entries.at(-1).isIntersecting; this.draw(); }, { rootMargin: "200px" }).observe(this.canvas);
    }
    time(e) {
      const box = this.canvas.getBoundingClientRect(), [a, b] = this.view.range;
      return a + (e.clientX - box.left - 62) / (box.width - 62 - 12) * (b - a);
    }
    listen() {
      const { canvas, view } = this;
      let from = null;
      canvas.addEventListener("pointerdown", (e) => { from = this.time(e); canvas.setPointerCapture(e.pointerId); });
      canvas.addEventListener("pointermove", (e) => { this.drag = from === null ? null : [from, this.time(e)]; view.under = this; view.point(this.time(e)); });
      canvas.addEventListener("pointerleave", () => { if (view.under === this) { view.under = null; view.draw(); } });
      canvas.addEventListener("pointerup", (e) => {
        const to = this.time(e), moved = Math.abs(to - from) > (view.range[1] - view.range[0]) / 100;
        if (from !== null && moved) view.show(Math.min(from, to), Math.max(from, to));
        from = this.drag = null;
        view.draw();
      });
      canvas.addEventListener("pointercancel", () => { from = this.drag = null; });
      canvas.addEventListener("dblclick", () => view.show(...view.all));
      canvas.addEventListener("wheel", (e) => { if (e.ctrlKey || e.shiftKey) { e.preventDefault(); view.zoom(e.deltaY + e.deltaX > 0 ? 1.25 : 0.8, this.time(e)); } }, { passive: false });
      canvas.addEventListener("keydown", (e) => {
        const act = { "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), ArrowLeft: () => view.shift(-0.25), ArrowRight: () => view.shift(0.25), 0: () => view.show(...view.all), Home: () => view.show(...view.all) }[e.key];
        if (act && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); act(); }
      });
    }
    shown() { return this.chart.layers.filter((l) => !this.hidden.has(l.name)); }
    // What each row shows at a time: the state, its share of the whole time, the value of the curve.
    inRows(t) {
      return this.chart.rows.map((r, i) => {
        const found = [];
        for (const l of this.shown()) {
          if (l.bands) {
            if (l.bands.some((b) => b.row === i && b.from <= t && t < b.to)) found.unshift((r.words.find((w) => w.startsWith(`${l.name} `)) ?? l.name).replace(/ ([^ ]+%)$/, " ($1 of the time)"));
          } else if (l.row === i) {
            const k = at(l, t, 0);
            if (k >= 0) found.push(`${number(l.lo[k])} Mbit/s`);
          }
        }
        return found.length ? `${r.name}: ${found.join(", ")}` : "";
      }).filter(Boolean);
    }
    values(t) {
      if (this.chart.rows) return this.inRows(t).join("; ");
      const found = this.shown().filter((l) => l.shape === "line" || l.shape === "steps").flatMap((l) => {
        const i = first(l.x, t);
        const at = i < l.x.length && l.x[i] === t ? i : i - 1;
        return at < 0 ? [] : [`${l.name} ${number(l.lo[at])}`.trim()];
      });
      return found.length ? `${this.chart.y}: ${found.join(", ")}` : "";
    }
    // What does not change while the pointer moves is drawn once, on a sheet of its own; what is out of sight, when it comes into sight.
    draw() {
      const { canvas, view } = this, printed = paper.matches;
      if (!canvas.clientWidth || !this.seen && !printed) return;
      const [ratio, w, h] = printed ? sheetOfPaper(this.high) : [window.devicePixelRatio || 1, canvas.clientWidth, canvas.clientHeight];
      const box = { left: 62, right: w - 12, top: 10, bottom: h - 24 }, [a, b] = view.range;
      const look = [w, h, ratio, a, b, ...this.hidden, dark.matches, printed].join();
      if (look !== this.look) {
        this.look = look;
        this.sheet.width = canvas.width = Math.round(w * ratio);
        this.sheet.height = canvas.height = Math.round(h * ratio);
        const g = this.sheet.getContext("2d");
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.fill(g, w, h, box);
      }
      const g = canvas.getContext("2d"), x = (t) => box.left + (t - a) / (b - a) * (box.right - box.left);
      g.setTransform(1, 0, 0, 1, 0, 0);
      g.globalAlpha = 1;
      g.drawImage(this.sheet, 0, 0);
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.fillStyle = css("--faint");
      const rect = (from, to) => {
        from = Math.max(from, box.left);
        to = Math.min(to, box.right);
        if (from < to) g.fillRect(from, box.top, to - from, box.bottom - box.top);
      };
      if (view.cursor !== null) { g.globalAlpha = 0.7; rect(x(view.cursor), x(view.cursor) + 1); }
      if (view.under === this && !this.drag) this.readout(g, box, x(view.cursor));
      if (this.drag) { g.globalAlpha = 0.2; rect(x(Math.min(...this.drag)), x(Math.max(...this.drag))); }
    }
    fill(g, w, h, box) {
      for (const i of this.legend.querySelectorAll("i")) i.style.color = i.classList.contains("bands") ? i.dataset.ink : ink(i.dataset.ink);
      g.fillStyle = paper.matches ? "#fff" : css("--paper");
      g.fillRect(0, 0, w, h);
      const [a, b] = this.view.range;
      if (this.chart.rows) { this.fillRows(g, box); return; }
      let low = Infinity, high = -Infinity;
      const parts = this.shown().map((l) => {
        const i = Math.max(first(l.x, a) - 1, 0), j = Math.min(first(l.x, b) + 1, l.x.length);
        for (let k = i; k < j; k++) { low = Math.min(low, l.lo[k]); high = Math.max(high, l.hi ? l.hi[k] : l.lo[k]); }
        return [l, i, j];
      });
      if (low > high) [low, high] = [0, 1];
      if (low > 0 && low < high / 2) low = 0;
      if (low === high) [low, high] = [low - 1, high + 1];
      high += (high - low) * 0.04;
      const x = (t) => box.left + (t - a) / (b - a) * (box.right - box.left), y = (v) => box.bottom - (v - low) / (high - low) * (box.bottom - box.top);
      this.axes(g, box, x, y, steps(low, high, 6).map((v) => [v, number(v)]));
      g.save();
      g.beginPath();
      g.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
      g.clip();
      for (const [l, i, j] of parts) this.layer(g, l, i, j, x, y);
      this.events(g, box, x);
      g.restore();
    }
    fillRows(g, box) {
      const { rows, events } = this.chart, [a, b] = this.view.range, n = rows.length, high = n * (events.length ? 1 + row.above : 1);
      const x = (t) => box.left + (t - a) / (b - a) * (box.right - box.left), y = (v) => box.bottom - v / high * (box.bottom - box.top);
      const base = (i) => n - 1 - i, curve = (i) => (v) => y(base(i) + row.low + v / rows[i].full * (row.top - row.low));
      this.axes(g, box, x, y, rows.flatMap((r, i) => r.full > 0 ? [[base(i) + row.low, "0"], [base(i) + row.top, number(r.full)]] : []));
      g.save();
      g.beginPath();
      g.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
      g.clip();
      for (const l of this.shown()) {
        if (l.bands) this.bands(g, l, x, y, base);
        else this.layer(g, l, Math.max(first(l.x, a) - 1, 0), Math.min(first(l.x, b) + 1, l.x.length), x, curve(l.row));
      }
      this.events(g, box, x);
      g.textAlign = "left";
      g.textBaseline = "middle";
      rows.forEach((r, i) => {
        let text = r.name;
        for (let k = r.words.length; k > 0; k--) {
          const all = `${r.name}: ${r.words.slice(0, k).join(", ")}`;
          if (g.measureText(all).width < box.right - box.left - 8) { text = all; break; }
        }
        const at = y(base(i) + row.words);
        g.fillStyle = paper.matches ? white : css("--paper");
        g.fillRect(box.left + 4, at - 8, g.measureText(text).width, 16); // over the lines of events
        g.fillStyle = paper.matches ? "#1b1d21" : css("--ink");
        g.fillText(text, box.left + 4, at);
        if (r.note) g.fillText(r.note, box.left + 4, y(base(i) + row.band / 2));
      });
      g.restore();
    }
    // Bands have the same colours on a dark ground, with a light edge.
    bands(g, l, x, y, base) {
      g.fillStyle = l.ink;
      g.strokeStyle = white;
      for (const { from, to, row: i } of l.bands) {
        const px = x(from), w = x(to) - px, top = y(base(i) + row.band), h = y(base(i)) - top;
        if (px + w < 0 || px > g.canvas.width) continue;
        g.fillRect(px, top, w, h);
        if (l.dash && w > 1) this.stripes(g, l.dash, px, top, w, h);
      }
      if (!dark.matches || paper.matches) return;
      g.lineWidth = 1;
      for (const { from, to, row: i } of l.bands) {
        g.beginPath();
        for (const v of [base(i), base(i) + row.band]) { g.moveTo(x(from), y(v)); g.lineTo(x(to), y(v)); }
        g.stroke();
      }
    }
    stripes(g, kind, left, top, w, h) {
      const turn = kind === 1 ? -1 : 1, step = 6, low = Math.min(turn * top, turn * (top + h)), high = Math.max(turn * top, turn * (top + h));
      g.save();
      g.beginPath();
      g.rect(left, top, w, h);
      g.clip();
      g.lineWidth = 1.5;
      g.beginPath();
      for (let v = Math.ceil((left + low) / step) * step; v < left + w + high; v += step) { g.moveTo(v - turn * top, top); g.lineTo(v - turn * (top + h), top + h); }
      g.stroke();
      g.restore();
    }
    axes(g, box, x, y, ticks) {
      g.font = "12px system-ui, 'Liberation Sans', Arial, sans-serif";
      g.fillStyle = paper.matches ? "#333" : css("--faint");
      g.strokeStyle = paper.matches ? "#ddd" : css("--line");
      g.lineWidth = 1;
      g.textAlign = "right";
      g.textBaseline = "middle";
      g.beginPath();
      for (const [v, text] of ticks) { g.moveTo(box.left, y(v)); g.lineTo(box.right, y(v)); g.fillText(text, box.left - 6, y(v)); }
      g.textAlign = "center";
      g.textBaseline = "top";
      const [a, b] = this.view.range;
      for (const t of steps(a, b, Math.max(2, Math.floor((box.right - box.left) / 90)))) { g.moveTo(x(t), box.bottom); g.lineTo(x(t), box.bottom + 4); g.fillText(String(t), x(t), box.bottom + 7); }
      g.stroke();
    }
    // The values at the pointer stand beside it, on the side with more room.
    readout(g, box, px) {
      const { view } = this, unit = (this.chart.y.match(/\(([^()]*)\)$/) || ["", ""])[1];
      const near = (view.range[1] - view.range[0]) / (box.right - box.left) * 6;
      const lines = [`${number(view.cursor)} s`];
      if (this.chart.rows) lines.push(...this.inRows(view.cursor));
      else for (const l of this.shown()) {
        if (l.shape === "dots" && this.shown().some((o) => o.shape === "steps" && o.name === l.name)) continue; // marks on that line
        const i = at(l, view.cursor, near);
        if (i >= 0) lines.push(`${l.name} ${number(l.hi ? l.hi[i] : l.lo[i])} ${unit}`.trim());
      }
      for (const e of this.chart.events) if (Math.abs(e[0] - view.cursor) < near) lines.push(`${e[2]} at ${number(e[0])} s`);
      const room = Math.floor((box.bottom - box.top - 14) / 16); // of more lines the last ones are counted; the legend hides others
      if (lines.length > room) lines.splice(room - 1, Infinity, `and ${lines.length - room + 1} more`);
      g.globalAlpha = 1;
      g.font = "12px system-ui, 'Liberation Sans', Arial, sans-serif";
      const w = Math.max(...lines.map((t) => g.measureText(t).width)) + 12, h = 16 * lines.length + 8;
      const left = px + w + 16 < box.right ? px + 10 : Math.max(box.left, px - w - 10);
      g.fillStyle = css("--wash");
      g.fillRect(left, box.top + 6, w, h);
      g.strokeStyle = css("--line");
      g.strokeRect(left, box.top + 6, w, h);
      g.fillStyle = css("--ink");
      g.textAlign = "left";
      g.textBaseline = "top";
      lines.forEach((t, i) => g.fillText(t, left + 6, box.top + 11 + 16 * i));
    }
    // Events are upright lines with a letter; the letters of close ones stand below each other.
    events(g, box, x) {
      const ends = [-Infinity, -Infinity, -Infinity];
      g.save();
      g.lineWidth = 1;
      g.setLineDash([3, 3]);
      g.textAlign = "left";
      g.textBaseline = "top";
      for (const [t, letter, , colour] of this.chart.events) {
        const px = x(t), row = ends.findIndex((end) => px - end > 12);
        g.strokeStyle = g.fillStyle = ink(colour);
        g.beginPath();
        g.moveTo(px, box.top);
        g.lineTo(px, box.bottom);
        g.stroke();
        if (row < 0 || px < box.left) continue;
        ends[row] = px;
        g.fillText(letter, px + 2, box.top + 2 + 12 * row);
      }
      g.restore();
    }
    layer(g, l, i, j, x, y) {
      g.strokeStyle = g.fillStyle = ink(l.ink);
      g.lineWidth = 1.5;
      g.setLineDash(pattern(l));
      g.beginPath();
      for (let k = i; k < j; k++) {
        const px = x(l.x[k]), lo = y(l.lo[k]), hi = l.hi ? y(l.hi[k]) : lo;
        if (l.shape === "spans") { const more = Math.max(0, 2 - (lo - hi)) / 2; g.moveTo(px, lo + more); g.lineTo(px, hi - more); }
        else if (l.shape === "dots") {
          const my = (lo + hi) / 2;
          if (l.mark === "cross") { g.moveTo(px - 3, my - 3); g.lineTo(px + 3, my + 3); g.moveTo(px - 3, my + 3); g.lineTo(px + 3, my - 3); }
          else { g.moveTo(px + 3, my); g.arc(px, my, 3, 0, 2 * Math.PI); }
        } else if (l.x.length === 1) g.arc(px, lo, 2, 0, 2 * Math.PI);
        else if (k === i) g.moveTo(px, lo);
        else if (l.gap && l.x[k] - l.x[k - 1] > l.gap) {
          if (l.cell) g.lineTo(x(l.x[k - 1] + l.cell), y(l.lo[k - 1]));
          g.moveTo(px - 1, lo);
          g.lineTo(px + 1, lo);
        }
        else { // a line
          if (l.shape === "steps") g.lineTo(px, y(l.lo[k - 1]));
          g.lineTo(px, lo);
        }
      }
      g.stroke();
      g.setLineDash([]);
    }
  }

  const unpack = (l) => {
    let t = 0;
    l.x = l.x.map((d) => (t += d) / 1e6);
    if (l.h) l.hi = l.lo.map((v, i) => v + l.h[i]);
    if (l.shape === "bands") l.bands = l.rows.map((r, i) => ({ row: r, from: l.x[2 * i], to: l.x[2 * i + 1] }));
    return l;
  };
  const views = [];
  for (const c of data) {
    const section = document.getElementById(`c${c.id}`);
    for (const chart of c.charts) chart.layers.forEach(unpack);
    if (c.charts.length) views.push(new View(section, c.charts));
    const top = document.getElementById(`g${c.id}`);
    if (top?.querySelector("[data-chart]")) views.push(new View(top, c.charts));
  }
  const redraw = () => { for (const v of views) for (const c of v.charts) c.draw(); };
  dark.addEventListener("change", redraw);
  const sheet = (on) => {
    paper.matches = on;
    for (const box of document.querySelectorAll(".wide")) if (on) box.querySelector("table")?.classList.remove("folds"); else fold(box);
    redraw();
  };
  print.addEventListener("change", () => sheet(print.matches));
  addEventListener("beforeprint", () => sheet(true));
  addEventListener("afterprint", () => sheet(false));
  document.documentElement.dataset.ready = "yes";
})();
