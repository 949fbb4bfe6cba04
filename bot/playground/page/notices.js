/* Short words to the person: the line over the message box, the banner on top, and calls from other channels. */
import { byId, el, icon, nameOf } from "./dom.js";
import { titleOf } from "./places.js";
import { channel, emit, findMessage, on, store } from "./store.js";
import { say, sayWith } from "./words.js";

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

/** What the bot does on its way here, and how far that is. */
function progress() {
  if (!store.start) return null;
  const { step, steps, doing, ended } = store.start;
  const told = [say("step_of", { step, steps }), say(`step_${doing}`), ended ? say("tries", { n: ended }) : ""].filter(Boolean);
  const bar = el("progress", { max: String(steps + 1), value: String(step), "aria-label": told[0] });
  return el("span", { class: "progress" }, bar, el("span", {}, told.join(" · ")));
}

function paintBanner() {
  wasUp ||= store.online;
  const place = byId("banner");
  const down = !store.linked;
  const bot = nameOf(store.bot);
  let words = "";
  if (down) words = say("line_lost");
  else if (!store.online) words = say(wasUp ? "bot_restarting" : "bot_starting", { name: bot });
  place.classList.toggle("bad", down);
  const dots = el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  place.replaceChildren(...(words ? [dots, el("span", {}, words), down ? null : progress()].filter(Boolean) : []));
}

function toast({ channel_id: place, message_id: id }) {
  if (place === store.here && !document.hidden) return;
  const author = findMessage(place, id)?.author ?? store.bot;
  const node = el(
    "button",
    { type: "button", class: "toast", "data-channel": place, "data-message": id, "data-testid": "toast", on: { click: () => (node.remove(), emit("jump", { channel: place, message: id })) } },
    el("span", { class: "toast-mark" }, icon("at")),
    el("span", {}, sayWith("calls_you", { name: el("strong", {}, nameOf(author)), place: titleOf(channel(place)) })),
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
