/* The start of a channel: what it is, and for newcomers three steps that can be pressed. */
import { leaves } from "./commands.js";
import { el, face, icon, nameOf } from "./dom.js";
import { opening } from "./opening.js";
import { signOf, titleOf, topicOf } from "./places.js";
import { key } from "./server.js";
import { TEXT, THREAD, channel, emit, store } from "./store.js";
import { say, sayWith } from "./words.js";

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
  return el("li", { class: "step" }, el("span", { class: "step-number", "aria-hidden": "true" }, String(number)), el("div", {}, el("h3", {}, title), ...more));
}

function steps() {
  const other = store.people.find((one) => one.id !== store.me.id);
  const commands = firstCommands();
  return el(
    "ol",
    { class: "steps" },
    step(
      1,
      sayWith("you_are", { name: el("span", {}, face(store.me, "tiny"), ` ${nameOf(store.me)}`) }),
      el("p", {}, say("be_anybody")),
      el("button", { type: "button", class: "press press-secondary", on: { click: () => emit("show-people") } }, icon("people"), say("choose")),
    ),
    step(
      2,
      sayWith("type_slash", { key: el("kbd", {}, "/") }),
      el("p", {}, say(commands.length ? "start_with" : "commands_appear")),
      el("div", { class: "row" }, commands.map(commandButton)),
    ),
    other
      ? step(
          3,
          say("both_sides"),
          el("p", {}, say("each_tab")),
          el("a", { class: "press press-secondary", href: tabUrl(other), target: "_blank" }, say("tab_as", { name: nameOf(other) }), icon("outside")),
        )
      : null,
  );
}

/** What stands above the first message; nothing while older messages are still to come. */
export function intro(complete) {
  const place = channel(store.here);
  if (!place || !complete) return el("div", { class: "more" }, el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")), say("older"));
  const thread = place.type === THREAD;
  if (store.opening && place.id === store.welcome.channel_id) return el("div", { class: "intro" }, opening(), steps());
  const parent = channel(place.parent_id);
  const title = thread ? place.name : place.type === TEXT ? say("welcome_to", { name: titleOf(place) }) : say("only_you_and", { name: nameOf(store.bot) });
  const about = thread ? (parent ? say("a_thread_in", { name: titleOf(parent) }) : say("a_thread")) : topicOf(place) || say("starts_here");
  return el(
    "div",
    { class: "intro" },
    el("span", { class: "intro-mark" }, icon(signOf(place))),
    el("h2", {}, title),
    el("p", {}, about),
    place.type === TEXT ? steps() : null,
  );
}
