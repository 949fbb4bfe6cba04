/* How the message box looks: its parts and their words. What they do is in composer.js. */
import { byId, el, icon } from "./dom.js";
import { firstCommands } from "./intro.js";
import * as popup from "./popup.js";

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
export const sendButton = el("button", { type: "submit", class: "icon-button send", "aria-label": "Send", title: "Send", "data-testid": "send" }, icon("send"));
const name = el("span", { class: "command-name", hidden: true });
const slots = el("span", { class: "slots" });
const narrow = matchMedia("(max-width: 760px)");

/** What an empty box says; a phone has room for the shorter form. */
function hint() {
  const first = firstCommands()[0];
  if (!first) return "Type / for commands";
  return narrow.matches ? `Type / to play: try /${first.name}` : `Type / for commands, for example /${first.name}`;
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
  more.textContent = `+ ${rest} optional`;
  byId("composer-form").classList.toggle("has-command", Boolean(draft));
  sendButton.classList.toggle("ready", Boolean(draft) && !draft.missing);
  const says = draft ? "Leave this command" : "Show the commands";
  opener.replaceChildren(icon(draft ? "close" : "slash"));
  opener.title = says;
  opener.setAttribute("aria-label", says);
  input.placeholder = draft ? "" : hint();
  input.setAttribute("aria-label", draft ? `More for /${draft.leaf.name}; Enter sends` : "Message box. Type a slash to see the commands");
  byId("keys").textContent = draft ? "Tab next option · Enter chooses, then sends · Esc leaves the command" : "Type / for the bot's commands · ↑ brings back your last one";
}

/** Put the parts into the page; `repaint` is called when the width asks for other words. */
export function buildBox(repaint) {
  popup.asCombobox(input);
  const inner = el("div", { class: "composer-box", on: { click: (event) => event.target === inner && input.focus() } }, name, slots, input, more);
  byId("composer-form").append(opener, inner, sendButton);
  narrow.addEventListener("change", repaint);
}
