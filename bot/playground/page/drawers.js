/* The side panels on narrow screens: they slide in over the messages, take the focus, and give it back. */
import { byId, el, icon } from "./dom.js";
import { on } from "./store.js";

const PANELS = [
  { panel: byId("side"), opener: byId("open-side"), fits: matchMedia("(min-width: 761px)"), sign: "menu" },
  { panel: byId("people"), opener: byId("open-people"), fits: matchMedia("(min-width: 1081px)"), sign: "people" },
];

function set(entry, open) {
  const { panel, opener, fits } = entry;
  panel.classList.toggle("open", open);
  panel.inert = !open && !fits.matches;
  opener.setAttribute("aria-expanded", String(open));
  const any = PANELS.some((one) => one.panel.classList.contains("open"));
  byId("veil").classList.toggle("open", any);
  byId("stage").inert = any;
}

export function closeDrawers() {
  for (const entry of PANELS) {
    if (!entry.panel.classList.contains("open")) continue;
    set(entry, false);
    entry.opener.focus();
  }
}

function open(entry) {
  closeDrawers();
  if (entry.fits.matches) {
    // already in view: just lead the eye and the keyboard there
    entry.panel.querySelector("button:not(.drawer-close), a")?.focus();
    return;
  }
  set(entry, true);
  entry.panel.querySelector(".drawer-close").focus();
}

export function startDrawers() {
  for (const entry of PANELS) {
    entry.opener.append(icon(entry.sign));
    entry.opener.append(el("span", { class: "opener-dot", "aria-hidden": "true" }));
    entry.opener.addEventListener("click", () => open(entry));
    entry.fits.addEventListener("change", () => set(entry, false));
    set(entry, false);
  }
  for (const node of document.querySelectorAll("[data-close-drawer]")) {
    if (node.tagName === "BUTTON") node.append(icon("close"));
    node.addEventListener("click", closeDrawers);
  }
  addEventListener("keydown", (event) => event.key === "Escape" && closeDrawers());
  on("show-people", () => open(PANELS[1]));
}
