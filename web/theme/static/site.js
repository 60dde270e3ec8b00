// The theme button, the search box, the place in the contents, and a cue and keyboard access for whatever scrolls inside itself. The page can be read without this script.
"use strict";

const root = document.documentElement;
const button = document.getElementById("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
const showTheme = () => button.setAttribute("aria-pressed", isDark());

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch { /* storage is off: the choice lasts as long as the page */ }
    showTheme();
  });
  prefersDark.addEventListener("change", showTheme);
  showTheme();
}

// What is looked for stands behind a "#", the part of an address that no server is told. The boxes have no name: without this script they send nothing.
for (const form of document.querySelectorAll("form.search")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const target = new URL(form.action);
    target.search = "";
    target.hash = new URLSearchParams({ q: form.querySelector("input").value });
    location.href = target;
  });
}

// A box that can be scrolled must show it and be reachable by keyboard; one that cannot must not be a stop on the way.
const GROUP = { tabindex: "0", role: "group", "aria-label": "Scrolls sideways" };
const mark = (box) => {
  const hidden = box.scrollWidth - box.clientWidth;
  box.classList.toggle("more-before", hidden > 1 && box.scrollLeft > 1);
  box.classList.toggle("more-after", hidden > 1 && box.scrollLeft < hidden - 1);
};
const named = new WeakSet(); // a table of numbers has a name of its own
const observer = new ResizeObserver((entries) => {
  for (const { target: box } of entries) {
    mark(box);
    for (const [name, value] of Object.entries(named.has(box) ? { tabindex: "0" } : GROUP)) {
      if (box.scrollWidth > box.clientWidth) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }
});
for (const box of document.querySelectorAll(".scroll, main pre, .output.text_html:has(> table)")) {
  if (box.hasAttribute("role")) named.add(box);
  observer.observe(box);
  box.addEventListener("scroll", () => mark(box), { passive: true });
}

// On a narrow page the lists of contents lie over the text: choosing a line closes them.
for (const list of document.querySelectorAll("nav[popover]")) {
  list.addEventListener("click", (event) => {
    if (event.target.closest("a") && list.matches(":popover-open")) list.hidePopover();
  });
}

// Beside the text, the contents are longer than the window: they begin with the part that is being read.
const here = document.querySelector("nav.contents [aria-current]");
if (here) {
  const part = here.closest("ul");
  here.closest("nav").scrollTop = (part.previousElementSibling || part).offsetTop - 40;
}
