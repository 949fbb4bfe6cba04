/* How the message box looks: its parts and their words. What they do is in composer.js. */
import { byId, el, icon } from "./dom.js";
import { firstCommands } from "./intro.js";
import * as popup from "./popup.js";
import { say } from "./words.js";

const keepFocus = (event) => event.preventDefault();

/** The line that is typed into; it stands behind the chips. */
export const input = el("input", {
  id: "composer",
  type: "text",
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: "false",
  enterkeyhint: "send",
  "data-testid": "composer",
});
export const opener = el("button", { type: "button", class: "icon-button", "data-testid": "commands" });
export const more = el("button", { type: "button", class: "chip-more", hidden: true, on: { pointerdown: keepFocus, mousedown: keepFocus } });
export const sendButton = el("button", { type: "submit", class: "icon-button send", "aria-label": say("send"), title: say("send"), "data-testid": "send" }, icon("send"));
const name = el("span", { class: "command-name", hidden: true });
const slots = el("span", { class: "slots" });
const narrow = matchMedia("(max-width: 760px)");

/** What an empty box says; a phone has room for the shorter form. */
function hint() {
  const first = firstCommands()[0];
  if (!first) return say("type_commands");
  return say(narrow.matches ? "type_to_play" : "type_for_example", { name: first.name });
}

function paintChips(wanted) {
  for (const node of [...slots.children]) if (!wanted.includes(node)) node.remove();
  // a node that is moved loses the focus, so only those in the wrong place are
  wanted.forEach((node, at) => node !== slots.children[at] && slots.insertBefore(node, slots.children[at] ?? null));
}

/** Show a draft, or the empty box for null. */
export function paintBox(draft) {
  paintChips(draft?.chips.map((chip) => chip.node) ?? []);
  name.hidden = !draft;
  name.textContent = draft ? `/${draft.leaf.name}` : "";
  const rest = draft?.spare.length ?? 0;
  more.hidden = rest === 0;
  more.textContent = say("more_optional", { n: rest });
  byId("composer-form").classList.toggle("has-command", Boolean(draft));
  sendButton.classList.toggle("ready", Boolean(draft) && !draft.missing);
  const says = say(draft ? "leave_command" : "show_commands");
  opener.replaceChildren(icon(draft ? "close" : "slash"));
  opener.title = says;
  opener.setAttribute("aria-label", says);
  input.placeholder = draft ? "" : hint();
  input.setAttribute("aria-label", draft ? say("more_for", { name: draft.leaf.name }) : say("message_box"));
  byId("keys").textContent = say(draft ? "keys_command" : "keys");
}

/** Put the parts into the page; `repaint` is called when the width asks for other words. */
export function buildBox(repaint) {
  popup.asCombobox(input);
  const inner = el("div", { class: "composer-box", on: { click: (event) => event.target === inner && input.focus() } }, name, slots, input, more);
  byId("composer-form").append(opener, inner, sendButton);
  narrow.addEventListener("change", repaint);
}
