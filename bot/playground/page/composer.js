/* What the message box does: finds commands, fills a draft, and sends it. Keys work as in a chat client. */
import { buildBox, input, more, opener, paintBox, sendButton } from "./box.js";
import { leading, leaves, search, split } from "./commands.js";
import { byId } from "./dom.js";
import { Draft } from "./draft.js";
import { command } from "./interactions.js";
import { follow } from "./log.js";
import { notice } from "./notices.js";
import * as popup from "./popup.js";
import { on, store } from "./store.js";
import { say } from "./words.js";

let draft = null; // the command being filled in
let before = ""; // the line sent last, for the up arrow
let sending = false;

const all = () => leaves(store.commands);

const paint = () => paintBox(draft);

function reset(text = "") {
  draft = null;
  input.value = text;
  popup.hide();
  paint();
}

/** Move into the line behind the chips, with its list. */
function toLine() {
  if (document.activeElement === input) suggest();
  else input.focus();
}

const goTo = (chip) => (chip ? chip.focus() : toLine());

/** Start filling in a command; `rest` is what was typed behind its name. */
function begin(leaf, rest = "") {
  draft = new Draft(leaf, box);
  const { focus, left } = draft.spread(rest);
  input.value = left;
  paint();
  goTo(focus ?? draft.missing);
}

/** What the chips report to. */
const box = {
  request: (chip) => draft.question(chip),
  /** True when the text named options and was spread over them. */
  typed(chip) {
    const text = chip.input.value;
    const { lead, values } = split(draft.leaf.options, text);
    if (values.length) {
      chip.set(lead);
      const { focus } = draft.spread(text, chip);
      paint();
      focus.focus();
      if (focus === chip) chip.suggest();
    }
    paint();
    return values.length > 0;
  },
  next(chip) {
    paint();
    goTo(draft.after(chip));
  },
  remove(chip) {
    const place = draft.beside(chip, -1);
    draft.remove(chip);
    paint();
    goTo(place);
  },
  key(chip, event) {
    const item = popup.current();
    if (event.key === "Enter") {
      event.preventDefault();
      const whole = item && [item.label, String(item.value)].some((text) => text.toLowerCase() === chip.text.toLowerCase());
      if (item) item.pick();
      // typed in full: there is nothing left to choose, so Enter goes on or sends
      if (!item || whole) draft.missing ? goTo(draft.missing) : send();
    } else if (event.key === "Tab" && !event.shiftKey && item && (chip.option.required || !chip.empty)) {
      event.preventDefault();
      item.pick();
    } else if (event.key === "Backspace" && chip.input.value === "") {
      event.preventDefault();
      back(chip);
    } else {
      wander(event, chip);
    }
  },
};

/** Backspace in an empty chip: an optional one goes; before the first required one the command is left. */
function back(chip) {
  const place = draft.beside(chip, -1);
  if (!chip.option.required) box.remove(chip);
  else if (place) place.focus();
  else compose(`/${draft.leaf.name}`);
}

/** Keys that mean the same in every part of the box: arrows and Escape. */
function wander(event, chip) {
  const { target } = event;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const atStart = target.selectionStart === 0 && target.selectionEnd === 0;
  const atEnd = target.selectionStart === target.value.length;
  if (step && popup.isOpen()) popup.move(step);
  else if (event.key === "Escape" && popup.current()) popup.hide();
  else if (event.key === "Escape") {
    reset();
    notice("");
    input.focus();
  } else if (event.key === "ArrowLeft" && atStart && draft && (chip ? draft.beside(chip, -1) : draft.chips.length)) {
    (chip ? draft.beside(chip, -1) : draft.chips.at(-1)).focus();
  } else if (event.key === "ArrowRight" && atEnd && chip) goTo(draft.beside(chip, 1));
  else return;
  event.preventDefault();
}

function typed() {
  notice("");
  const text = input.value;
  const isCommand = text.trimStart().startsWith("/");
  if (draft && isCommand) reset(text);
  if (draft && split(draft.leaf.options, text).values.length) {
    const { focus, left } = draft.spread(text, null);
    input.value = left;
    paint();
    focus.focus();
    return;
  }
  const found = !draft && isCommand ? leading(all(), text) : null;
  if (found && !found.whole) begin(found.leaf, found.rest);
  else suggest();
}

/** The list for the line: commands after a slash, or the options that may still be added. */
function suggest() {
  const text = input.value.trimStart().toLowerCase();
  if (draft) {
    const list = draft.spare
      .filter((option) => option.name.includes(text))
      .map((option) => ({ label: option.name, more: option.description, pick: () => add(option) }));
    if (list.length) popup.show(input, { title: say("optional_enter"), list, first: text ? 0 : -1 });
    else popup.hide();
  } else if (text.startsWith("/")) {
    const list = search(all(), text.slice(1)).map((leaf) => ({
      label: `/${leaf.name}`,
      hint: leaf.options.map((option) => (option.required ? option.name : `[${option.name}]`)).join(" "),
      more: leaf.description,
      pick: () => begin(leaf),
    }));
    const empty = say(store.commands.length ? "no_such_command" : "no_commands_yet");
    popup.show(input, { title: say("commands"), list, empty });
  } else {
    popup.hide();
  }
}

function add(option) {
  input.value = "";
  const chip = draft.chip(option);
  paint();
  chip.focus();
}

function key(event) {
  const item = popup.current();
  if (event.key === "Enter" && !event.isComposing) enter(item);
  else if (event.key === "Tab" && !event.shiftKey && item) item.pick();
  else if (event.key === "Backspace" && draft && input.value === "") removeLast();
  else if (event.key === "ArrowUp" && !draft && input.value === "" && before) compose(before);
  else return wander(event, null);
  return event.preventDefault();
}

function removeLast() {
  const chip = draft.chips.at(-1);
  if (!chip) compose(`/${draft.leaf.name}`);
  else if (!chip.option.required) box.remove(chip);
  else if (chip.empty) back(chip);
  else {
    chip.set("");
    paint();
    chip.focus();
  }
}

function enter(item) {
  const found = draft ? null : leading(all(), input.value);
  const complete = found?.whole && input.value.trim().startsWith("/") && !found.leaf.options.some((option) => option.required);
  if (complete) begin(found.leaf);
  if (item && !complete) item.pick();
  else send();
}

/** Check everything, send it, and say kindly what is wrong. */
async function send() {
  const text = input.value.trim();
  if (sending) return;
  if (!draft) {
    const found = text.startsWith("/") && leading(all(), text);
    // the command is there in full, what it needs is not
    if (found) begin(found.leaf, found.rest);
    else if (text.startsWith("/")) notice(say("unknown_command", { name: text.split(" ")[0] }), true);
    else if (text) notice(say("practice_channel"));
    if (!found) return;
  }
  const { chip, error, options, line } = draft.collect();
  const stray = input.value.trim();
  if (error || stray) {
    chip?.focus();
    chip?.blame(true);
    notice(error ?? say("stray", { text: stray, name: draft.leaf.name }), true);
    return;
  }
  sending = true;
  sendButton.setAttribute("aria-busy", "true");
  try {
    const { leaf } = draft;
    await command({ name: leaf.command, path: leaf.path, options, shown: leaf.name });
    before = line;
    notice("");
    reset(input.value); // what was typed meanwhile
    follow();
  } catch (refusal) {
    notice(refusal.message, true);
  } finally {
    sending = false;
    sendButton.removeAttribute("aria-busy");
    input.focus();
  }
}

/** Put a text into the box as if it had been typed. */
export function compose(text) {
  reset(text);
  input.focus();
  typed();
}

export function startComposer() {
  buildBox(paint);
  input.addEventListener("input", typed);
  input.addEventListener("focus", suggest);
  input.addEventListener("blur", popup.hide);
  input.addEventListener("keydown", key);
  more.addEventListener("click", toLine);
  opener.addEventListener("click", () => compose(draft ? "" : "/"));
  byId("composer-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (draft) send();
    else enter(popup.current());
  });
  on("compose", ({ text }) => compose(text));
  on("commands", () => {
    paint();
    if (document.activeElement === input && !draft) suggest();
  });
  paint();
}
