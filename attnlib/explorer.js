// The moving part of an explorer (see explorer.py, which writes the HTML this script finds).
//
// In a page: a deferred classic script; a touched <attn-explorer> steps through the grid embedded beside the chart.
// In JupyterLab: explorer.py appends an export of `attnExplorer.render`; each move asks `compute` in Python.
// Either way a state is one list of whole thousandths: the chart's numbers, the read-outs, then what the chart adds.

const attnExplorer = (() => {
  "use strict";

  const three = (thousandths) =>
    (thousandths < 0 ? "−" : "") + (Math.abs(thousandths) / 1000).toFixed(3).replace(/\B(?=(\d{3})+\.)/g, ",");
  const share = (value, [low, high]) => Math.min(1, Math.max(0, (value - low) / (high - low)));
  const stretch = (bar, value, limits) => {
    const [zero, end] = [share(0, limits), share(value, limits)];
    bar.style.setProperty("--attn-from", `${100 * Math.min(zero, end)}%`);
    bar.style.setProperty("--attn-to", `${100 * Math.max(zero, end)}%`);
  };
  const write = (element, text) => {
    const node = element.firstChild;
    if (!node) element.textContent = text;
    else if (node.data !== text) node.data = text;
  };

  // Charts: `size` numbers of a state belong to the chart; `set` shows number i; `name` says what it is; `done`
  // follows when all are set, `rest` when the hand rests.

  /**
   * From the first touch on, the bars of all rows are one shape: a move then styles no element and repaints one.
   * Where a page sets its rows otherwise than one below another (as the opening page does), each keeps its own.
   */
  function barChart(root, { limits, numbers: start }) {
    const rows = [...root.querySelectorAll("tbody tr")];
    const labels = rows.map((row) => row.cells[0].textContent);
    const bars = rows.map((row) => row.querySelector(".attn-weight .attn-bar"));
    const numbers = rows.map((row) => row.querySelector(".attn-weight .attn-number"));
    const shape = getComputedStyle(root.querySelector("tbody")).display === "table-row-group" && layShape(root, limits);
    if (shape) shape(start);
    return {
      size: rows.length,
      set(index, value) {
        if (!shape) stretch(bars[index], value / 1000, limits);
        write(numbers[index], three(value));
      },
      done: shape,
      name(index) {
        const label = labels[index];
        return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (position ${index + 1})`;
      },
    };
  }

  /** Lay one shape over the tracks of all bars; what is returned draws it. */
  function layShape(root, limits) {
    const cell = root.querySelector("tbody .attn-weight .attn-cell");
    const count = root.querySelectorAll("tbody tr").length;
    const height = root.querySelector("tbody input") ? 28 : 24; // of a row, in sixteenths of a rem; a bar's is 14
    const tops = Array.from({ length: count }, (_, row) => row * height + (height - 14) / 2);
    const place = (value) => Math.round(10000 * share(value / 1000, limits));
    const zero = place(0);
    const lines = (from, to) => tops.map((top) => `M${from} ${top}${to}`).join("");
    const mark = limits[0] < 0 ? `<path class="attn-zero" d="${lines(zero, "v14")}"/>` : "";
    cell.insertAdjacentHTML(
      "beforeend",
      `<svg class="attn-sheet" viewBox="0 0 10000 ${count * height}" preserveAspectRatio="none" aria-hidden="true" ` +
        `style="--rows:${count}"><path d="${lines(0, "h10000v14H0")}"/><polygon/>${mark}</svg>`,
    );
    root.querySelector("table").classList.add("attn-layered");
    const polygon = cell.querySelector("polygon");
    return (shown) => {
      const corners = tops.map((top, row) => {
        const end = place(shown[row]);
        return `${zero} ${top} ${end} ${top} ${end} ${top + 14} ${zero} ${top + 14}`;
      });
      polygon.setAttribute("points", corners.join(" "));
    };
  }

  /** Cells are empty; behind them lies one layer of colour for each sign, cut out by a gradient for each row. */
  function heatmapChart(root, { limits, depths, negativeDepths, numbers: start }) {
    const box = root.querySelector(".attn-figures input");
    const cells = [...root.querySelectorAll("tbody td")];
    const titles = (selector) => [...root.querySelectorAll(selector)].map((title) => title.textContent);
    const [rows, columns] = [titles("tbody th"), titles("thead th[scope]")];
    const layers = document.createElement("i");
    layers.className = "attn-layers";
    layers.style.setProperty("--rows", rows.length);
    const signs = negativeDepths ? [1, -1] : [1];
    for (const sign of signs) layers.append(document.createElement(sign > 0 ? "i" : "b"));
    let shown = start;
    let written = start;

    const strength = (value) => share(Math.abs(value) / 1000, [0, limits[1]]);
    const opacity = (value) => Math.round(255 * strength(value)).toString(16).padStart(2, "0");
    /** One row of a layer: neighbours of the same colour are one stop. */
    const gradient = (row, sign) => {
      const numbers = shown.slice(row * columns.length, (row + 1) * columns.length);
      const colours = numbers.map((value) => `#000000${opacity(Math.max(0, sign * value))}`);
      const ends = columns.map((_, column) => `${colours[column]} 0 ${(100 * (column + 1)) / columns.length}%`);
      const stops = ends.filter((_, column) => colours[column] !== colours[column + 1]);
      const place = rows.length > 1 ? (100 * row) / (rows.length - 1) : 0;
      return `linear-gradient(90deg,${stops}) 0 ${place}% / 100% ${100 / rows.length}% no-repeat`;
    };
    const paint = () => {
      signs.forEach((sign, index) => {
        layers.children[index].style.mask = rows.map((_, row) => gradient(row, sign)).join();
      });
    };
    const look = (value) => {
      const depth = (value < 0 ? negativeDepths : depths).filter((limit) => strength(value) > limit).length;
      return [value < 0 && "attn-negative", depth && `attn-depth-${depth}`].filter(Boolean).join(" ");
    };
    const rest = () => {
      cells.forEach((cell, index) => {
        if (shown[index] === written[index]) return;
        write(cell.firstChild, three(shown[index]));
        cell.className = look(shown[index]);
      });
      written = shown;
    };
    paint();
    cells[0].append(layers);
    root.querySelector("table").classList.add("attn-layered");
    box.addEventListener("change", () => {
      box.defaultChecked = box.checked;
      rest();
    });
    return {
      size: cells.length,
      set(index, value) {
        if (value < 0 !== shown[index] < 0) cells[index].classList.toggle("attn-negative", value < 0);
      },
      done(numbers) {
        shown = numbers;
        paint();
        if (box.checked) rest();
      },
      rest,
      name: (index) => `${rows[Math.floor(index / columns.length)]} → ${columns[index % columns.length]}`,
    };
  }

  /** From the first touch on, lines are polylines: their points, unlike the d of a path, are no style to compute. */
  function curveChart(root, { limits, places, x, every }) {
    const svg = root.querySelector(".attn-area svg");
    const made = (name, attributes) => {
      const element = document.createElementNS(svg.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const lines = [...svg.querySelectorAll(".attn-line")].map((path) => {
      const points = path.getAttribute("d").slice(1).replaceAll("L", " ");
      const line = made("polyline", { class: path.getAttribute("class"), points });
      path.replaceWith(line);
      return line;
    });
    // What is drawn always reaches as far as this: the browser need not sort its layers again when a line moves.
    svg.prepend(made("rect", { class: "attn-ground", x: -8, y: -8, width: 1016, height: 1016 }));
    const names = [...root.querySelectorAll(".attn-name")];
    const details = root.querySelector("details");
    const rows = [...root.querySelectorAll(".attn-numbers tbody tr")];
    let shown = [];
    const fillTable = () => {
      if (!details.open) return;
      rows.forEach((row, r) => {
        lines.forEach((_, p) => write(row.cells[p + 1], three(shown[p * places.length + r * every])));
      });
    };
    details.addEventListener("toggle", fillTable);
    return {
      size: lines.length * places.length,
      set() {},
      done(numbers, tail) {
        shown = numbers;
        lines.forEach((line, p) => {
          const points = places.map((place, i) => {
            return `${place} ${Math.round(1000 - 1000 * share(numbers[p * places.length + i] / 1000, limits))}`;
          });
          line.setAttribute("points", points.join(" "));
          names[p].style.top = `${100 - tail[p] / 10}%`;
        });
        fillTable();
      },
      name: (index) => `${names[Math.floor(index / places.length)].textContent} at ${x[index % places.length]}`,
    };
  }

  const charts = { bars: barChart, heatmap: heatmapChart, curves: curveChart };

  // One explorer. `ask(view)` is called after each move and sees to it that `view.show` gets the new state's numbers.

  class View {
    constructor(root, ask) {
      this.root = root;
      this.ask = ask;
      this.data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
      this.inputs = [...root.querySelectorAll("fieldset input, fieldset select")];
      this.stops = this.inputs.map((input) => input.closest("label").querySelector(".attn-stop"));
      this.data.controls.forEach(({ signs }, index) => {
        const longest = signs && Math.max(...signs.map((sign) => sign.length));
        if (longest) this.stops[index].style.setProperty("--signs", longest);
      });
      this.readouts = [...root.querySelectorAll("dl > div")];
      this.chart = charts[this.data.kind](root.querySelector("figure"), this.data);
      this.output = root.querySelector("output");
      this.state = this.data.start;
      this.numbers = this.told = this.data.numbers;
      this.preface = "";
    }

    words(index) {
      return this.data.controls[index].words[this.state[index]];
    }

    /** Read the controls, say their state, ask for its numbers. */
    move() {
      this.state = this.inputs.map((input) => (input.type === "range" ? Number(input.value) : input.selectedIndex));
      this.label();
      this.ask(this);
    }

    /** Set the controls to a state. */
    set(state) {
      this.state = state;
      this.inputs.forEach((input, index) => {
        input[input.type === "range" ? "value" : "selectedIndex"] = state[index];
      });
      this.label();
    }

    label() {
      this.inputs.forEach((input, index) => {
        if (input.type !== "range") return;
        input.setAttribute("aria-valuetext", this.words(index));
        write(this.stops[index], this.data.controls[index].signs[this.state[index]]);
      });
    }

    /** A number as it is written: three decimals, or none for a read-out that counts. */
    text(index, thousandths) {
      const readout = this.readouts[index - this.chart.size];
      const counts = readout && "count" in readout.lastChild.dataset;
      return counts ? three(thousandths).slice(0, -4) : three(thousandths);
    }

    /** Show the numbers of a state: only those that differ are touched. */
    show(numbers) {
      const { chart, readouts } = this;
      const end = chart.size + readouts.length;
      for (let index = 0; index < chart.size; index += 1) {
        if (numbers[index] !== this.numbers[index]) chart.set(index, numbers[index]);
      }
      readouts.forEach((readout, index) => write(readout.lastChild, this.text(chart.size + index, numbers[chart.size + index])));
      if (chart.done) chart.done(numbers, numbers.slice(end));
      this.numbers = numbers;
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tell(), 250);
    }

    /** Say in words, once the hand rests, what changed most since the last time. */
    tell() {
      const { chart, numbers, told } = this;
      if (chart.rest) chart.rest();
      const part = (name, index) => {
        const by = numbers[index] - told[index];
        return `${name} ${this.text(index, numbers[index])} (${by < 0 ? "down" : "up"} ${this.text(index, Math.abs(by))})`;
      };
      const changed = (from, to) => {
        const found = [];
        for (let index = from; index < to; index += 1) if (numbers[index] !== told[index]) found.push(index);
        return found;
      };
      const size = (index) => Math.abs(numbers[index] - told[index]);
      const most = changed(0, chart.size).sort((a, b) => size(b) - size(a)).slice(0, this.readouts.length ? 2 : 3);
      const parts = most.map((index) => part(chart.name(index), index));
      for (const index of changed(chart.size, chart.size + this.readouts.length)) {
        parts.push(part(this.readouts[index - chart.size].firstChild.textContent, index));
      }
      this.say(`${this.preface}${this.sentence()}: ${parts.length ? parts.join(", ") : "no number changes"}`);
      this.preface = "";
      this.told = numbers;
    }

    /** The state in words. */
    sentence() {
      return this.inputs.map((_, index) => this.words(index)).join(", ");
    }

    say(text) {
      clearTimeout(this.telling);
      write(this.output, text);
    }

    /** What a link calls each control: the name it has in Python. */
    names() {
      const label = (input) => input.closest("label").querySelector(".attn-label").firstChild.data;
      return this.inputs.map((input) => label(input).trim().toLowerCase().replaceAll(" ", "_"));
    }

    /** Stops of a control as a link writes them: numbers with the hyphen of a keyboard, and without commas. */
    choices(index) {
      const { words } = this.data.controls[index];
      const number = (text) => text.slice(text.lastIndexOf(" = ") + 3).replace("−", "-").replaceAll(",", "");
      return this.inputs[index].type === "range" ? words.map(number) : words;
    }

    /** The present state as part of an address. */
    query() {
      const names = this.names();
      return String(new URLSearchParams(this.state.map((stop, index) => [names[index], this.choices(index)[stop]])));
    }

    /** The state that part of an address asks for; what it does not say, or says wrongly, is as at the start. */
    answer(query) {
      const asked = new URLSearchParams(query);
      return this.names().map((name, index) => {
        const text = asked.get(name) ?? "";
        const same = (choice) => choice === text || (text.trim() && Number(choice) === Number(text));
        const stop = this.choices(index).findIndex(same);
        return stop < 0 ? this.data.start[index] : stop;
      });
    }
  }

  // Without a kernel. Until a hand comes near, an explorer costs a page three listeners and one attribute.

  const stepThroughGrid = (view) => {
    const { grid, controls, numbers } = view.data;
    const row = view.state.reduce((sum, index, place) => sum * controls[place].words.length + index, 0);
    view.show(grid.slice(row * numbers.length, (row + 1) * numbers.length));
  };

  const COPY =
    '<button type="button" class="attn-copy" aria-label="Copy link to this state">' +
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10 14a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 0 0-5.7-5.7l-1 1' +
    'm1.5 4.2a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 0 0 5.7 5.7l1-1"/></svg><span>Copy link</span></button>';

  /** Read the data and offer a link; from now on a number that changes lays out this explorer again, not the page around it. */
  function wake(element) {
    if (element.view) return element.view;
    element.querySelector("output").insertAdjacentHTML("beforebegin", COPY);
    const button = element.querySelector(".attn-copy");
    button.addEventListener("click", () => copy(element, button));
    const figure = element.querySelector("figure");
    const hold = () => element.style.setProperty("--attn-height", `${figure.getBoundingClientRect().height}px`);
    hold();
    element.classList.add("attn-held");
    new ResizeObserver(hold).observe(figure);
    element.view = new View(element, stepThroughGrid);
    return element.view;
  }

  /** Show the state that a link asks for, say so, and go there. */
  function open(element, query) {
    const view = wake(element);
    view.set(view.answer(query));
    view.preface = "As linked, ";
    stepThroughGrid(view);
    element.scrollIntoView();
    view.inputs[0].focus({ preventScroll: true });
  }

  /** Copy a link to the present state, or show it in a field, selected, where the browser forbids copying. */
  async function copy(element, button) {
    const view = wake(element);
    const link = new URL(`#${element.id}?${view.query()}`, location).href;
    try {
      await navigator.clipboard.writeText(link);
      view.say(`Link to ${view.sentence()} copied`);
    } catch {
      const field = element.querySelector(".attn-address") ?? document.createElement("input");
      field.className = "attn-address";
      field.readOnly = true;
      field.ariaLabel = "Link to this state";
      field.value = link;
      button.after(field);
      field.select();
      view.say(`Link to ${view.sentence()}: selected, ready to be copied`);
    }
  }

  function follow() {
    const [, id, query] = /^#(explorer-[^?]+)\?(.*)$/.exec(location.hash) ?? [];
    const element = id && document.getElementById(id);
    if (element?.matches("attn-explorer")) open(element, query);
  }

  // No custom element: to define one and bring the page's own up to it takes half the time a page has for its start.
  // The script of a page is deferred: explorers stand when it runs. In JupyterLab it is a module, and there are none.
  for (const element of document.querySelectorAll("attn-explorer")) {
    const controls = element.querySelector("fieldset");
    controls.disabled = false;
    for (const type of ["pointerover", "focusin"]) element.addEventListener(type, () => wake(element), { once: true });
    controls.addEventListener("input", () => wake(element).move());
  }
  if (location.hash) follow();
  addEventListener("hashchange", follow);

  // With a kernel: scores are edited by dragging a bar, by keyboard or by typing, and Python answers.

  function scoreEditor(root, limits, changed) {
    const inputs = [...root.querySelectorAll(".attn-score input")];
    const start = inputs.map((input) => input.value);
    const bars = [...root.querySelectorAll(".attn-score .attn-bar")];
    const digits = Math.max(0, -Math.floor(Math.log10((limits[1] - limits[0]) / 100)));
    const valid = [...start];
    const set = (index, text) => {
      valid[index] = inputs[index].value = text;
      stretch(bars[index], Number(text), limits);
    };
    inputs.forEach((input, index) => {
      const track = bars[index];
      input.addEventListener("input", () => {
        if (!Number.isFinite(input.valueAsNumber)) return;
        set(index, input.value);
        changed();
      });
      input.addEventListener("blur", () => {
        input.value = valid[index];
      });
      track.addEventListener("pointerdown", (down) => {
        if (down.button) return;
        const before = valid[index];
        const listening = new AbortController();
        const drag = (event) => {
          const box = track.getBoundingClientRect();
          const place = share(event.clientX, [box.left, box.right]);
          set(index, (limits[0] + place * (limits[1] - limits[0])).toFixed(digits));
          changed();
        };
        // A finger may be about to scroll the page: wait until it moves sideways or is lifted.
        let dragging = down.pointerType !== "touch";
        if (dragging) {
          down.preventDefault();
          drag(down);
        }
        const on = (type, act) => track.addEventListener(type, act, { signal: listening.signal });
        track.setPointerCapture(down.pointerId);
        on("pointermove", (event) => {
          dragging ||= Math.abs(event.clientX - down.clientX) > 4;
          if (dragging) drag(event);
        });
        on("pointerup", (event) => {
          listening.abort();
          const still = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 5;
          if (dragging || still) drag(event);
        });
        on("pointercancel", () => {
          listening.abort();
          if (valid[index] === before) return;
          set(index, before);
          changed();
        });
      });
    });
    return {
      /** Up and down keys: a tenth of what the eye sees as a step, ten times that with shift. */
      press(event) {
        const index = inputs.indexOf(event.target);
        const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (index < 0 || !way) return;
        event.preventDefault();
        const step = 10 ** (1 - digits) * (event.shiftKey ? 10 : 1);
        set(index, (Number(valid[index]) + way * step).toFixed(Math.max(digits, 1)));
        changed();
      },
      /** Edited scores; null stands for a score as Python has it, with all its digits. */
      get values() {
        return valid.map((text, index) => (text === start[index] ? null : Number(text)));
      },
      set values(values) {
        values.forEach((value, index) => set(index, value === null ? start[index] : String(value)));
      },
    };
  }

  /** Keys meant for a control must not reach JupyterLab, whose command mode would take them: `press` gets them. */
  function keepKeys(root, press) {
    const keep = (event) => {
      const lab = event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");
      const leave = event.key === "Tab" || event.key === "Escape";
      if (lab || leave || !root.contains(event.target) || !event.target.matches("input, select, button, audio")) return;
      event.stopImmediatePropagation();
      press?.(event);
    };
    window.addEventListener("keydown", keep, true);
    return () => window.removeEventListener("keydown", keep, true);
  }

  function render({ model, el }) {
    el.classList.add("attn-explorer");
    el.innerHTML = model.get("html");
    const error = el.querySelector(".attn-error");
    const say = (sentence) => {
      error.textContent = sentence;
      error.hidden = !sentence;
      el.classList.toggle("attn-failed", Boolean(sentence));
    };

    // One question at a time: while Python computes, only the latest state waits.
    let waiting = null;
    let again = false;
    const ask = () => {
      again = waiting !== null;
      if (again) return;
      const silence = "Python has not answered for five seconds: is the kernel running? If it is, run this cell again.";
      waiting = setTimeout(() => say(silence), 5000);
      model.set("request", { serial: Math.random(), state: view.state, scores: scores ? scores.values : [] });
      model.save_changes();
    };
    const view = new View(el, ask);
    const scores = view.data.scoreLimits && scoreEditor(el, view.data.scoreLimits, ask);
    const adopt = () => {
      const { state, scores: values } = model.get("request");
      view.set(state);
      if (scores) scores.values = values;
    };
    const answered = () => {
      const answer = model.get("answer");
      if (waiting === null) adopt();
      clearTimeout(waiting);
      waiting = null;
      say(answer.error || "");
      if (answer.numbers) view.show(answer.numbers);
      if (again) ask();
    };
    if (model.get("answer").serial) answered();
    model.on("change:answer", answered);

    const controls = el.querySelector("fieldset");
    controls.disabled = false;
    controls.addEventListener("input", () => view.move());
    controls.querySelector("button").addEventListener("click", () => {
      view.set(view.data.start);
      if (scores) scores.values = scores.values.map(() => null);
      ask();
    });
    const letGo = keepKeys(el, (event) => scores && scores.press(event));
    return () => {
      letGo();
      clearTimeout(waiting);
      model.off("change:answer", answered);
    };
  }

  return { render, keepKeys };
})();
