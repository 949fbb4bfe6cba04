/* Short words to the person: the line over the message box, the banner on top, and calls from other channels. */
import { byId, el, icon, nameOf } from "./dom.js";
import { titleOf } from "./places.js";
import { channel, emit, findMessage, on, store } from "./store.js";

let fading = null;

/** Say something over the message box; an error stays until the next word, a hint fades. */
export function notice(text, bad = false) {
  const place = byId("notice");
  clearTimeout(fading);
  place.classList.toggle("bad", bad);
  place.replaceChildren(...(text ? [icon(bad ? "warning" : "message"), el("span", {}, text)] : []));
  place.setAttribute("role", bad ? "alert" : "status");
  if (text && !bad) fading = setTimeout(() => notice(""), 9000);
}

let wasUp = false; // a bot that was never there is starting, not restarting

function paintBanner() {
  wasUp ||= store.online;
  const place = byId("banner");
  const down = !store.linked;
  const bot = store.bot ? nameOf(store.bot) : "The bot";
  let words = "";
  if (down) words = "The connection to the local server is lost. Trying again...";
  else if (!store.online) words = wasUp ? `${bot} is restarting. Nothing is lost - buttons and commands work again in a moment.` : `${bot} is starting. Commands work in a moment.`;
  place.classList.toggle("bad", down);
  place.replaceChildren(...(words ? [el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")), el("span", {}, words)] : []));
}

function toast({ channel_id: place, message_id: id }) {
  if (place === store.here && !document.hidden) return;
  const author = findMessage(place, id)?.author ?? store.bot;
  const node = el(
    "button",
    { type: "button", class: "toast", "data-channel": place, "data-message": id, "data-testid": "toast", on: { click: () => (node.remove(), emit("jump", { channel: place, message: id })) } },
    el("span", { class: "toast-mark" }, icon("at")),
    el("span", {}, el("strong", {}, nameOf(author)), ` calls you in ${titleOf(channel(place))}`),
  );
  const toasts = byId("toasts");
  // one word for a channel is enough
  clearToasts((old) => old.channel === place);
  toasts.setAttribute("role", "status");
  toasts.append(node);
  setTimeout(() => node.remove(), 12_000);
}

function clearToasts(matches) {
  for (const node of [...byId("toasts").children]) if (matches(node.dataset)) node.remove();
}

on("here", () => clearToasts((old) => old.channel === store.here));
on("dropped", ({ id }) => clearToasts((old) => old.message === id));
on("notice", ({ text, bad }) => notice(text, bad));
on("bot", paintBanner);
on("linked", paintBanner);
on("mention", toast);
