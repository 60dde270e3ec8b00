// The theme button, and keyboard access to whatever scrolls inside itself. The page can be read without this script.
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

// A box that can be scrolled must be reachable by keyboard; one that cannot must not be a stop on the way.
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const box of document.querySelectorAll(".scroll, article pre")) observer.observe(box);

// On a narrow page the lists of contents lie over the text: choosing a line closes them.
for (const list of document.querySelectorAll("nav[popover]")) {
  list.addEventListener("click", (event) => {
    if (event.target.closest("a") && list.matches(":popover-open")) list.hidePopover();
  });
}
