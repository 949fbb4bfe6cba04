/* The left column: the server, its channels and threads with what is unread, and who you are. */
import { byId, el, face, icon, nameOf } from "./dom.js";
import { labelOf, signOf, titleOf } from "./places.js";
import { DIRECT, THREAD, channel, emit, on, store } from "./store.js";
import { say } from "./words.js";

function isVisible(place) {
  if (place.type === DIRECT) {
    return (place.recipients ?? []).some((one) => one.id === store.me?.id) || place.recipient_id === store.me?.id;
  }
  if (place.type !== THREAD) return true;
  const archived = place.archived ?? place.thread_metadata?.archived;
  return !archived || place.id === store.here || store.unread.has(place.id);
}

const NAMED = { [THREAD]: "thread_named", [DIRECT]: "direct_named" };

function entry(place) {
  const mark = store.unread.get(place.id);
  const here = place.id === store.here;
  const state = mark?.calls.size ? `, ${say("for_you", { n: mark.calls.size })}` : mark ? `, ${say("unread")}` : "";
  return el(
    "li",
    { class: place.type === THREAD ? "place-item nested" : "place-item" },
    el(
      "button",
      {
        type: "button",
        class: `place${mark && !here ? " unread" : ""}`,
        "aria-current": here ? "page" : null,
        "aria-label": `${say(NAMED[place.type] ?? "channel_named", { name: labelOf(place) })}${state}`,
        "data-testid": `channel-${labelOf(place)}`,
        on: { click: () => emit("jump", { channel: place.id, message: null }) },
      },
      icon(signOf(place)),
      el("span", { class: "place-name" }, labelOf(place)),
      mark?.calls.size && !here ? el("span", { class: "badge", "data-testid": "mention-badge" }, String(mark.calls.size)) : null,
    ),
  );
}

function section(key, places) {
  if (!places.length) return null;
  const id = `group-${key}`;
  return el("section", {}, el("h3", { class: "group", id }, say(key)), el("ul", { "aria-labelledby": id }, places.map(entry)));
}

function paint() {
  byId("guild-name").textContent = store.guild.name_key ? say(store.guild.name_key) : store.guild.name;
  const all = [...store.channels.values()].filter(isVisible);
  const threads = all.filter((place) => place.type === THREAD);
  const rooms = all.filter((place) => ![THREAD, DIRECT].includes(place.type));
  const tree = rooms.flatMap((room) => [room, ...threads.filter((thread) => thread.parent_id === room.id)]);
  const active = document.activeElement?.dataset?.testid;
  const list = byId("channel-list");
  list.replaceChildren(...[section("channels", tree), section("direct_messages", all.filter((place) => place.type === DIRECT))].filter(Boolean));
  if (active?.startsWith("channel-")) list.querySelector(`[data-testid="${CSS.escape(active)}"]`)?.focus();
  paintTitle();
}

/** "(2) #tiles · Ada": the tab says how many messages call this person. */
function paintTitle() {
  const calls = [...store.unread.values()].reduce((sum, mark) => sum + mark.calls.size, 0);
  const place = channel(store.here);
  document.title = `${calls ? `(${calls}) ` : ""}${place ? titleOf(place) : "Boneyard"} · ${store.me ? nameOf(store.me) : "Boneyard"}`;
}

function paintYou() {
  if (!store.me) return;
  byId("you").replaceChildren(
    face(store.me),
    el("div", { class: "you-text" }, el("strong", { "data-testid": "me" }, nameOf(store.me)), el("span", {}, say("this_is_you"))),
    el("button", { type: "button", class: "press press-secondary", on: { click: () => emit("show-people") } }, icon("swap"), say("switch")),
  );
}

on("channels", paint);
on("people", paintYou);
on("me", () => {
  paint();
  paintYou();
});
