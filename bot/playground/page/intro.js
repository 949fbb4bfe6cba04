/* The start of a channel: what it is, and for newcomers three steps that can be pressed. */
import { leaves } from "./commands.js";
import { el, face, icon, nameOf } from "./dom.js";
import { signOf, titleOf } from "./places.js";
import { key } from "./server.js";
import { TEXT, THREAD, channel, emit, store } from "./store.js";

/** This page's address as another person, for a second tab. */
export function tabUrl(user, channelId = store.here) {
  const url = new URL(location.href);
  url.search = new URLSearchParams({ key, as: user.id, ...(channelId ? { channel: channelId } : {}) });
  url.hash = "";
  return url.pathname + url.search;
}

/** The commands a newcomer should see first: opening a table and help, or whatever there is. */
export function firstCommands() {
  const all = leaves(store.commands);
  const liked = ["tiles new", "tiles help"].map((name) => all.find((leaf) => leaf.name === name)).filter(Boolean);
  return liked.length ? liked : all.slice(0, 2);
}

const commandButton = (leaf) =>
  el("button", { type: "button", class: "press press-secondary try", on: { click: () => emit("compose", { text: `/${leaf.name} ` }) } }, el("code", {}, `/${leaf.name}`));

function step(number, title, ...more) {
  return el("li", { class: "step" }, el("span", { class: "step-number", "aria-hidden": "true" }, String(number)), el("div", {}, el("h4", {}, title), ...more));
}

function steps() {
  const other = store.people.find((one) => one.id !== store.me.id);
  const commands = firstCommands();
  return el(
    "ol",
    { class: "steps" },
    step(
      1,
      ["You are ", face(store.me, "tiny"), " ", nameOf(store.me)],
      el("p", {}, "Be anybody you like, or add a person."),
      el("button", { type: "button", class: "press press-secondary", on: { click: () => emit("show-people") } }, icon("people"), "Choose"),
    ),
    step(
      2,
      ["Type ", el("kbd", {}, "/"), " to play"],
      el("p", {}, commands.length ? "The bot answers commands. Start with one of these:" : "The commands appear here as soon as the bot is up."),
      el("div", { class: "row" }, commands.map(commandButton)),
    ),
    other
      ? step(
          3,
          "Play both sides",
          el("p", {}, "Each tab can be somebody else, so a friend or you can answer."),
          el("a", { class: "press press-secondary", href: tabUrl(other), target: "_blank" }, `Tab as ${nameOf(other)}`, icon("outside")),
        )
      : null,
  );
}

/** What stands above the first message; nothing while older messages are still to come. */
export function intro(complete) {
  const place = channel(store.here);
  if (!place || !complete) return el("div", { class: "more" }, el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")), "Scroll up for older messages");
  const thread = place.type === THREAD;
  const parent = channel(place.parent_id);
  return el(
    "div",
    { class: "intro" },
    el("span", { class: "intro-mark" }, icon(signOf(place))),
    el("h3", {}, thread ? place.name : place.type === TEXT ? `Welcome to ${titleOf(place)}` : `Only you and ${nameOf(store.bot)}`),
    el("p", {}, thread ? `A thread${parent ? ` in ${titleOf(parent)}` : ""}. Commands work here too.` : place.topic || "This is where it starts."),
    place.type === TEXT ? steps() : null,
  );
}
