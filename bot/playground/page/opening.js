/* The first sight: a picture, one sentence, and buttons that begin at once. What it shows was handed to the server. */
import { byId, el, icon } from "./dom.js";
import { command } from "./interactions.js";
import { notice } from "./notices.js";
import { key } from "./server.js";
import { TEXT, channel, emit, messagesOf, on, store } from "./store.js";
import { language, say } from "./words.js";

let waiting = null; // what was pressed before the bot was there
let following = 0; // until when the person is led to where they are called, in ms

const LEAD = 20_000; // ms

const known = (entry) => store.online && store.commands.some((one) => one.name === entry.command);

/** Use the command that a button stands for; while the bot is still on its way, as soon as it is there. */
async function begin(entry) {
  waiting = known(entry) ? null : entry;
  paintWaiting();
  if (waiting) {
    notice(say("play_waits"));
    return;
  }
  const { command: name, path, options } = entry;
  if (channel(store.here)?.type !== TEXT) emit("jump", { channel: store.welcome.channel_id, message: null });
  try {
    await command({ name, path, options, shown: [name, ...path].join(" ") });
    // where this channel has a match already, the new one begins in a thread; what can be played here stays here
    following = entry === store.opening.play ? 0 : Date.now() + LEAD;
    emit("to-end");
  } catch (refusal) {
    notice(refusal.message, true);
  }
}

function paintWaiting() {
  for (const node of document.querySelectorAll("[data-begins]")) {
    if (waiting?.label === node.dataset.begins) node.setAttribute("aria-busy", "true");
    else node.removeAttribute("aria-busy");
  }
}

function button(entry, kind, testId, sign = null) {
  const dots = el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  const node = el("button", { type: "button", class: `press ${kind}`, "data-begins": entry.label, "data-testid": testId, on: { click: () => begin(entry) } }, sign && icon(sign), el("span", {}, entry.label), dots);
  if (waiting?.label === entry.label) node.setAttribute("aria-busy", "true");
  return node;
}

/** The opening of the page. */
export function opening() {
  const { alt, sentence, play, more } = store.opening;
  const picture = `/local/opening.png?${new URLSearchParams({ key, language })}`;
  return el(
    "section",
    { class: "opening", "aria-labelledby": "opening-title", "data-testid": "opening" },
    el("img", { class: "opening-picture", src: picture, alt, draggable: "false" }),
    el(
      "div",
      { class: "opening-words" },
      el("h2", { id: "opening-title" }, sentence),
      el("p", {}, button(play, "press-primary opening-play", "play-now", "play")),
      el("p", { class: "opening-more" }, say("more_games")),
      el("div", { class: "row" }, more.map((entry) => button(entry, "press-secondary", `play-${entry.label}`))),
      el("p", { class: "opening-more" }, say("on_this_computer")),
    ),
  );
}

on("mention", ({ channel_id: channel, message_id: message }) => {
  if (Date.now() > following) return;
  following = 0;
  if (channel !== store.here) emit("jump", { channel, message });
});
/** Once the first sight is above what was said since, its button stands at the top of the page. */
function paintSlot() {
  const away = store.opening && (store.here !== store.welcome.channel_id || messagesOf(store.here).length > 0);
  const slot = byId("play-slot");
  if (!away) slot.replaceChildren();
  else if (!slot.firstChild) slot.append(button(store.opening.play, "press-primary play-again", "play-again", "play"));
}

for (const change of ["here", "loaded", "message", "gone"]) on(change, paintSlot);
for (const change of ["bot", "commands"]) on(change, () => waiting && known(waiting) && begin(waiting));
