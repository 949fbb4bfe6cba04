/* The list over the message box: commands, choices and the bot's own suggestions. Focus stays in the input. */
import { byId, el, face } from "./dom.js";
import { say } from "./words.js";

const box = byId("popup");
let items = [];
let active = -1;
let owner = null; // the input the list belongs to

const ID = (at) => `suggestion-${at}`;

export const isOpen = () => !box.hidden;
export const current = () => (isOpen() ? (items[active] ?? null) : null);

/** Tell an input that it may have a list. */
export function asCombobox(input) {
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "suggestions" })) {
    input.setAttribute(name, value);
  }
}

export function hide() {
  box.hidden = true;
  items = [];
  active = -1;
  owner?.setAttribute("aria-expanded", "false");
  owner?.removeAttribute("aria-activedescendant");
}

/**
 * Show `list` of `{label, more?, hint?, face?, pick}` for an input, under a title. `first` is the entry lit at the
 * start, -1 for none; without entries only the title and `empty` are shown.
 */
export function show(input, { title, list, first = 0, empty = "" }) {
  if (owner !== input) hide();
  owner = input;
  items = list;
  const rows = list.map((item, at) =>
    el(
      "div",
      {
        class: "suggestion",
        role: "option",
        id: ID(at),
        "aria-selected": "false",
        "data-testid": "suggestion",
        on: {
          // keeps the focus (and a phone's keyboard) where it is
          pointerdown: (event) => event.preventDefault(),
          mousedown: (event) => event.preventDefault(),
          click: () => item.pick(),
          pointermove: () => active !== at && point(at, false),
        },
      },
      item.face ? face(item.face, "tiny") : null,
      el("span", { class: "suggestion-text" }, el("span", { class: "suggestion-label" }, item.label), item.hint ? el("span", { class: "suggestion-hint" }, item.hint) : null, item.more ? el("span", { class: "suggestion-more" }, item.more) : null),
    ),
  );
  box.replaceChildren(
    ...(title ? [el("p", { class: "popup-title" }, title)] : []),
    el("div", { class: "popup-list", role: "listbox", id: "suggestions", "aria-label": say("suggestions") }, rows),
    ...(!list.length && empty ? [el("p", { class: "popup-empty" }, empty)] : []),
  );
  box.hidden = false;
  input.setAttribute("aria-expanded", String(list.length > 0));
  active = -1;
  if (first >= 0 && list.length) point(first, true);
  else input.removeAttribute("aria-activedescendant");
}

function point(at, scroll) {
  const rows = box.querySelectorAll(".suggestion");
  rows[active]?.setAttribute("aria-selected", "false");
  active = at;
  rows[at]?.setAttribute("aria-selected", "true");
  if (scroll) rows[at]?.scrollIntoView({ block: "nearest" });
  owner?.setAttribute("aria-activedescendant", ID(at));
}

/** Arrow keys: up and down, around the ends. */
export function move(step) {
  if (!items.length) return;
  const from = active < 0 && step < 0 ? 0 : active;
  point((from + step + items.length) % items.length, true);
}
