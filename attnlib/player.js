// The moving part of a player (see player.py, which writes the HTML this script finds): each word plays the
// moment it attends to, and while the sound runs, a line runs along and the word whose moment is nearest is marked.
//
// In a page: a classic script that defines <attn-player>. In JupyterLab: player.py puts explorer.js in front and
// appends an export of `attnPlayer.render`, which gets the sound from Python.

const attnPlayer = (() => {
  "use strict";

  const AROUND = 0.3; // seconds that a word plays on either side of its moment

  function enable(root) {
    const [audio, list, problem] = ["audio", "ol", ".attn-error"].map((part) => root.querySelector(part));
    const buttons = [...list.querySelectorAll("button")];
    const moments = buttons.map((button) => Number(button.value));
    let [from, to] = [0, Infinity]; // what a word has asked for
    let frame = 0;

    const show = () => {
      const now = audio.currentTime;
      list.style.setProperty("--at", now / Number(list.dataset.seconds));
      const gaps = moments.map((moment) => Math.abs(moment - now));
      const nearest = gaps.indexOf(Math.min(...gaps));
      buttons.forEach((button, index) => {
        if (index === nearest) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      });
    };
    const follow = () => {
      show();
      if (audio.currentTime >= to) audio.pause();
      frame = audio.paused ? 0 : requestAnimationFrame(follow);
    };
    const seek = () => {
      audio.currentTime = from;
    };

    audio.addEventListener("play", () => {
      problem.hidden = true;
      frame ||= requestAnimationFrame(follow);
    });
    audio.addEventListener("pause", () => {
      [from, to] = [0, Infinity];
    });
    audio.addEventListener("seeking", () => {
      if (audio.currentTime < from - 0.01 || audio.currentTime > to) [from, to] = [0, Infinity];
    });
    audio.addEventListener("seeked", show);
    audio.addEventListener("error", () => {
      problem.hidden = false;
    });
    buttons.forEach((button, index) => {
      button.addEventListener("click", () => {
        from = Math.max(0, moments[index] - AROUND);
        to = moments[index] + AROUND;
        if (audio.readyState) seek();
        else audio.addEventListener("loadedmetadata", seek, { once: true });
        audio.play().catch(() => {}); // an error shows as `problem`, another click as another moment
      });
    });
    root.querySelector("fieldset").disabled = false;
    return () => {
      cancelAnimationFrame(frame);
      audio.pause();
    };
  }

  class AttnPlayer extends HTMLElement {
    connectedCallback() {
      if (document.readyState === "loading") {
        document.addEventListener("DOMContentLoaded", () => enable(this), { once: true });
      } else enable(this);
    }
  }
  if (!customElements.get("attn-player")) customElements.define("attn-player", AttnPlayer);

  function render({ model, el }) {
    el.classList.add("attn-explorer", "attn-player");
    el.innerHTML = model.get("html");
    const sound = URL.createObjectURL(new Blob([model.get("sound")], { type: "audio/wav" }));
    el.querySelector("audio").src = sound;
    const stop = enable(el);
    const letGo = attnExplorer.keepKeys(el);
    return () => {
      letGo();
      stop();
      URL.revokeObjectURL(sound);
    };
  }

  return { render };
})();
