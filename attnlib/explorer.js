// The moving part of an explorer (see explorer.py, which writes the HTML this script finds).
//
// In a page: a classic script that defines <attn-explorer>; it steps through the grid embedded beside the chart.
// In JupyterLab: explorer.py appends an export of `attnExplorer.render`; each move asks `compute` in Python.
// Either way a state is one list of whole thousandths: the chart's numbers, the read-outs, then what the chart adds.

const attnExplorer = (() => {
  "use strict";

  const three = (thousandths) => (thousandths < 0 ? "−" : "") + (Math.abs(thousandths) / 1000).toFixed(3);
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

  function barChart(root, { limits }) {
    const rows = [...root.querySelectorAll("tbody tr")];
    const labels = rows.map((row) => row.cells[0].textContent);
    const bars = rows.map((row) => row.querySelector(".attn-weight .attn-bar"));
    const numbers = rows.map((row) => row.querySelector(".attn-weight .attn-number"));
    return {
      size: rows.length,
      set(index, value) {
        stretch(bars[index], value / 1000, limits);
        write(numbers[index], three(value));
      },
      name(index) {
        const label = labels[index];
        return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (position ${index + 1})`;
      },
    };
  }

  function heatmapChart(root, { limits, depths }) {
    const box = root.querySelector(".attn-figures input");
    const cells = [...root.querySelectorAll("tbody td")];
    const texts = cells.map((cell) => cell.firstChild);
    const titles = (selector) => [...root.querySelectorAll(selector)].map((title) => title.textContent);
    const [rows, columns] = [titles("tbody th"), titles("thead th[scope]")];
    let shown = [];
    const rest = () => texts.forEach((text, index) => write(text, three(shown[index])));
    box.addEventListener("change", () => shown.length && rest());
    return {
      size: cells.length,
      set(index, value) {
        const part = share(value / 1000, limits);
        const depth = depths.filter((limit) => part > limit).length;
        cells[index].style.backgroundPositionX = `${100 * part}%`;
        if (cells[index].className || depth) cells[index].className = depth ? `attn-depth-${depth}` : "";
      },
      done(numbers) {
        shown = numbers;
        if (box.checked) rest();
      },
      rest,
      name: (index) => `${rows[Math.floor(index / columns.length)]} → ${columns[index % columns.length]}`,
    };
  }

  function curveChart(root, { limits, places, x, every }) {
    const paths = [...root.querySelectorAll(".attn-line")];
    const names = [...root.querySelectorAll(".attn-name")];
    const details = root.querySelector("details");
    const rows = [...root.querySelectorAll(".attn-numbers tbody tr")];
    let shown = [];
    const fillTable = () => {
      if (!details.open) return;
      rows.forEach((row, r) => {
        paths.forEach((_, p) => write(row.cells[p + 1], three(shown[p * places.length + r * every])));
      });
    };
    details.addEventListener("toggle", fillTable);
    return {
      size: paths.length * places.length,
      set() {},
      done(numbers, tail) {
        shown = numbers;
        paths.forEach((path, p) => {
          const points = places.map((place, i) => {
            return `${place} ${Math.round(1000 - 1000 * share(numbers[p * places.length + i] / 1000, limits))}`;
          });
          path.setAttribute("d", `M${points.join("L")}`);
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
      this.readouts = [...root.querySelectorAll("dl > div")];
      this.chart = charts[this.data.kind](root.querySelector("figure"), this.data);
      this.output = root.querySelector("output");
      this.state = this.data.start;
      this.numbers = this.told = this.data.numbers;
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
        const sign = this.data.controls[index].signs[this.state[index]];
        write(input.closest("label").querySelector(".attn-stop"), sign);
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
      const state = this.inputs.map((_, index) => this.words(index)).join(", ");
      write(this.output, `${state}: ${parts.length ? parts.join(", ") : "no number changes"}`);
      this.told = numbers;
    }
  }

  // Without a kernel. Until a control is touched this costs a page one listener and one attribute.

  const stepThroughGrid = (view) => {
    const { grid, controls, numbers } = view.data;
    const row = view.state.reduce((sum, index, place) => sum * controls[place].words.length + index, 0);
    view.show(grid.slice(row * numbers.length, (row + 1) * numbers.length));
  };

  class AttnExplorer extends HTMLElement {
    connectedCallback() {
      if (document.readyState === "loading") {
        document.addEventListener("DOMContentLoaded", () => this.connectedCallback(), { once: true });
        return;
      }
      const controls = this.querySelector("fieldset");
      controls.disabled = false;
      controls.addEventListener("input", () => {
        this.view ??= new View(this, stepThroughGrid);
        this.view.move();
      });
    }
  }
  if (!customElements.get("attn-explorer")) customElements.define("attn-explorer", AttnExplorer);

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
      waiting = setTimeout(() => say("Python has not answered for five seconds: is the kernel running?"), 5000);
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
