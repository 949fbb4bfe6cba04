/* Menus of a message: a button that opens a list to choose from, one or several, with keyboard and search by letter. */
import { emoji, showBusy } from "./controls.js";
import { byId, el, face, icon, nameOf } from "./dom.js";
import { isBusy, press } from "./interactions.js";
import { store } from "./store.js";
import { say } from "./words.js";

let open = null; // the one list that is open
const known = new WeakMap(); // the button of a menu -> what it offers
let serial = 0;

/** Entries `{label, value, description?, emoji?, face?, default?}` of any of the five kinds of menu. */
function entriesOf(component) {
  const chosen = new Set((component.default_values ?? []).map((one) => one.id));
  if (component.type === 3) return component.options ?? [];
  if (component.type === 8) {
    return [...store.channels.values()].map((one) => ({ label: `#${one.name}`, value: one.id, default: chosen.has(one.id) }));
  }
  if (component.type === 6) return [];
  return [...store.people, store.bot].filter(Boolean).map((one) => ({
    label: nameOf(one),
    value: one.id,
    face: one,
    default: chosen.has(one.id),
  }));
}

const HINTS = { 5: "choose_people", 6: "choose_roles", 7: "choose_people", 8: "choose_channels" };

/**
 * The element of a select component (types 3, 5-8). `send(values)` takes the choice; without it the choice goes to the
 * bot at once. In a dialog it is kept until the dialog is sent.
 */
export function select(component, message, send = null) {
  const entries = entriesOf(component);
  const state = { values: entries.filter((one) => one.default).map((one) => one.value) };
  const label = el("span", { class: "select-label" });
  const node = el(
    "button",
    {
      type: "button",
      class: "select",
      disabled: Boolean(component.disabled) || message?.local,
      "aria-haspopup": "listbox",
      "aria-expanded": "false",
      "data-testid": "select",
      "data-custom-id": component.custom_id,
      on: {
        click: () => (open?.anchor === node ? close() : show(node)),
        keydown: (event) => {
          if (["ArrowDown", "ArrowUp"].includes(event.key)) {
            event.preventDefault();
            node.click();
          }
        },
      },
    },
    label,
    icon("down"),
  );
  function paint() {
    const picked = entries.filter((one) => state.values.includes(one.value));
    const hint = component.placeholder || say(HINTS[component.type] ?? "make_choice");
    label.replaceChildren(...(picked.length ? picked.flatMap((one) => [emoji(one.emoji), el("span", {}, one.label)]) : [el("span", { class: "select-hint" }, hint)]).filter(Boolean));
    node.setAttribute("aria-label", picked.length ? `${hint}: ${picked.map((one) => one.label).join(", ")}` : hint);
  }
  function choose(values) {
    state.values = values;
    paint();
    if (send) send(values);
    else press(message, component, values);
  }
  known.set(node, { component, entries, state, choose });
  paint();
  if (message) showBusy(node, isBusy(message.id, component.custom_id));
  if (send && state.values.length) send(state.values);
  return node;
}

/** Close the open list, if any; the choice of a menu for several goes out now. */
export function close(refocus = true) {
  if (!open) return;
  const { list, anchor, menu, finish } = open;
  open = null;
  list.remove();
  document.removeEventListener("pointerdown", outside, true);
  document.removeEventListener("scroll", scrolled, true);
  anchor.setAttribute("aria-expanded", "false");
  if (refocus && anchor.isConnected) anchor.focus?.();
  finish?.(menu);
}

const offer = ({ component, entries }) => JSON.stringify([component, entries]);

/**
 * The message that the open list belongs to was drawn anew, or is gone (`fresh` is null). Where the new one has the same
 * menu the list stays, under the finger that is about to choose from it; otherwise it closes.
 */
export function carryOver(old, fresh = null) {
  if (!open || !old.contains(open.anchor)) return;
  const id = CSS.escape(open.anchor.dataset.customId ?? "");
  const anchor = fresh?.querySelector(`.select[data-custom-id="${id}"]:not(:disabled)`);
  const menu = known.get(anchor);
  if (!menu || offer(menu) !== offer(open.menu)) {
    close(false);
    return;
  }
  Object.assign(open, { anchor, menu });
  anchor.setAttribute("aria-expanded", "true");
  place(open.list, anchor);
}

const outside = (event) => {
  if (!open.list.contains(event.target) && !open.anchor.contains(event.target)) close(false);
};

// the list goes with its button, and closes when that is out of sight; on a phone it stands at the bottom and stays
const scrolled = (event) => {
  const { anchor, list } = open;
  if (!(event.target instanceof Element && event.target.contains(anchor))) return;
  const box = anchor.getBoundingClientRect();
  const frame = event.target.getBoundingClientRect();
  if (box.bottom > frame.top && box.top < frame.bottom) place(list, anchor);
  else if (!getComputedStyle(list).getPropertyValue("--sheet")) close(false);
};

function show(anchor) {
  close(false);
  const menu = known.get(anchor);
  const { component, entries, state } = menu;
  const most = component.max_values ?? 1;
  const least = component.min_values ?? 1;
  const several = most > 1;
  const picked = new Set(state.values);
  const prefix = `choice-${(serial += 1)}-`;
  let active = Math.max(0, entries.findIndex((one) => picked.has(one.value)));

  const rows = entries.map((one, at) =>
    el(
      "div",
      { class: "choice", role: "option", id: prefix + at, "data-testid": "select-option", "data-value": one.value, "aria-selected": String(picked.has(one.value)), on: { click: () => take(at), pointermove: () => point(at) } },
      one.face ? face(one.face, "tiny") : emoji(one.emoji),
      el("span", { class: "choice-text" }, el("span", { class: "choice-label" }, one.label), one.description ? el("span", { class: "choice-more" }, one.description) : null),
      el("span", { class: "choice-mark" }, icon("check")),
    ),
  );
  const box = el("div", { class: "choices-list", role: "listbox", tabindex: "0", "aria-multiselectable": several ? "true" : null, "aria-label": component.placeholder || say("choices") }, rows.length ? rows : el("p", { class: "choice-none" }, say("nothing_to_choose")));
  const done = several ? el("button", { type: "button", class: "press press-primary choices-done", on: { click: () => close() } }, say("done")) : null;
  const list = el("div", { class: "choices", on: { keydown: key } }, box, done);
  // a modal dialog is above everything else, so its lists must live inside it; others are part of what is main
  (anchor.closest("dialog") ?? byId("stage")).append(list);
  open = { anchor, list, menu, finish: several ? sendIfChanged : null };
  anchor.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", outside, true);
  document.addEventListener("scroll", scrolled, true);
  place(list, anchor);
  point(active);
  box.focus();

  function sendIfChanged(now) {
    const values = entries.map((one) => one.value).filter((value) => picked.has(value));
    if (values.length >= least && values.join() !== now.state.values.join()) now.choose(values);
  }
  function point(at) {
    rows[active]?.classList.remove("active");
    active = at;
    rows[at]?.classList.add("active");
    rows[at]?.scrollIntoView({ block: "nearest" });
    if (rows[at]) box.setAttribute("aria-activedescendant", prefix + at);
  }
  function take(at) {
    const { value } = entries[at];
    if (!several) {
      const now = open.menu;
      close();
      now.choose([value]);
      return;
    }
    if (picked.has(value)) picked.delete(value);
    else if (picked.size < most) picked.add(value);
    rows[at].setAttribute("aria-selected", String(picked.has(value)));
    point(at);
  }
  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -entries.length, End: entries.length, PageDown: 8, PageUp: -8 }[event.key];
    if (step && rows.length) point(Math.min(rows.length - 1, Math.max(0, active + step)));
    else if (event.key === "Escape") {
      if (several) open.finish = null;
      event.stopPropagation();
      close();
    } else if (event.key === "Tab" && !several) close();
    else if ((event.key === "Enter" || event.key === " ") && event.target === box && rows.length) take(active);
    else if (event.key.length === 1 && /\S/.test(event.key) && rows.length) {
      const order = entries.map((_, at) => (active + 1 + at) % entries.length);
      const hit = order.find((at) => entries[at].label.toLowerCase().startsWith(event.key.toLowerCase()));
      if (hit !== undefined) point(hit);
    } else return;
    if (event.key !== "Tab") event.preventDefault();
  }
}

/**
 * A list of entries `{label, more}` beside anything that can be seen, for a question that the page has itself.
 * `take(at)` gets the number of the one that is chosen.
 */
export function ask(anchor, entries, take) {
  close(false);
  const menu = {
    component: { custom_id: null },
    entries: entries.map(({ label, more }, at) => ({ label, description: more, value: String(at) })),
    state: { values: [] },
    choose: ([at]) => take(Number(at)),
  };
  known.set(anchor, menu);
  show(anchor);
}

/** Beside its button, on the side with more room; on a phone CSS makes it a sheet at the bottom instead. */
function place(list, anchor) {
  const box = anchor.getBoundingClientRect();
  const below = innerHeight - box.bottom - 16;
  const above = box.top - 16;
  const up = below < Math.min(list.offsetHeight, 320) && above > below;
  const width = Math.max(box.width, 280);
  list.style.setProperty("--left", `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`);
  list.style.setProperty("--width", `${width}px`);
  list.style.setProperty("--room", `${Math.max(160, Math.min(up ? above : below, 420))}px`);
  list.style.setProperty("--top", up ? "auto" : `${box.bottom + 6}px`);
  list.style.setProperty("--bottom", up ? `${innerHeight - box.top + 6}px` : "auto");
}

