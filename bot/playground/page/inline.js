/* Markdown inside a line: emphasis, code, spoilers, links, mentions and times, as DOM nodes. */
import { stamp } from "./clock.js";
import { el, icon, nameOf } from "./dom.js";
import { link } from "./links.js";
import { labelOf, signOf } from "./places.js";
import { channel, emit, person, store } from "./store.js";
import { say } from "./words.js";

const ESCAPED = /^\\([^0-9A-Za-z\s])/;
const CODE = /^(`+)([\s\S]*?[^`])\1(?!`)/;
const BARE_URL = /^https?:\/\/[^\s<]+[^\s<.,:;"')\]]/;
const ANGLE_URL = /^<(https?:\/\/[^\s>]+)>/;
const NAMED_URL = /^\[((?:\\.|[^\\[\]]|\[[^\]]*\])+)\]\(\s*<?(https?:\/\/[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/;
const MARKS = [
  [/^\*\*\*(?=\S)((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s\\]))\*\*\*(?!\*)/, (inner) => el("strong", {}, el("em", {}, inner))],
  [/^\*\*(?=\S)((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s\\]))\*\*(?!\*)/, (inner) => el("strong", {}, inner)],
  [/^__(?=\S)((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s\\]))__(?!_)/, (inner) => el("u", {}, inner)],
  [/^~~(?=\S)((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s\\]))~~/, (inner) => el("s", {}, inner)],
  [/^\|\|((?:\\[\s\S]|[^\\])+?)\|\|/, (inner) => spoiler(inner)],
  [/^\*(?=\S)((?:\*\*(?:(?!\*\*)[\s\S])+\*\*|[^*])*?(?:[^*\s]|\*\*))\*(?!\*)/, (inner) => el("em", {}, inner)],
  [/^_(?=\S)((?:__(?:(?!__)[\s\S])+__|[^_])*?(?:[^_\s]|__))_(?![_\w])/, (inner) => el("em", {}, inner)],
];

/** Hidden until pressed; a real button while it hides something, plain text afterwards. */
function spoiler(inner) {
  const body = el("span", { class: "spoiler-body", "aria-hidden": "true" }, inner);
  const node = el("span", { class: "spoiler", role: "button", tabindex: "0", "aria-label": say("spoiler_show") }, body);
  const show = () => {
    node.classList.add("shown");
    for (const name of ["role", "tabindex", "aria-label"]) node.removeAttribute(name);
    body.removeAttribute("aria-hidden");
  };
  node.addEventListener("click", show);
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      show();
    }
  });
  return node;
}

function userMention(id) {
  const user = person(id);
  const me = id === store.me?.id;
  return el("span", { class: me ? "mention mention-me" : "mention" }, `@${nameOf(user)}`);
}

function channelMention(id) {
  const place = channel(id);
  if (!place) return el("span", { class: "mention" }, "#unknown");
  return el(
    "button",
    { type: "button", class: "mention jump", on: { click: () => emit("jump", { channel: id, message: null }) } },
    icon(signOf(place)),
    labelOf(place),
  );
}

/** `</tiles new:1>`: pressing it puts the command into the message box. */
const commandMention = (path) =>
  el("button", { type: "button", class: "mention jump", on: { click: () => emit("compose", { text: `/${path} ` }) } }, `/${path}`);

const ANGLES = [
  [/^<@!?(\d+)>/, (id) => userMention(id)],
  [/^<@&\d+>/, () => el("span", { class: "mention" }, "@role")],
  [/^<#(\d+)>/, (id) => channelMention(id)],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, (unix, style) => stamp(Number(unix), style)],
  [/^<\/([\w -]{1,100}):\d+>/, (path) => commandMention(path)],
  [/^<a?:(\w+):\d+>/, (name) => el("span", { class: "emoji-name" }, `:${name}:`)],
];

/** Nodes for one stretch of text. `depth` bounds nesting, so that no text can make this slow. */
export function inline(text, depth = 0) {
  const nodes = [];
  let plain = "";
  const flush = () => {
    if (plain) nodes.push(document.createTextNode(plain));
    plain = "";
  };
  const put = (node) => {
    flush();
    nodes.push(node);
  };
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const taken = special(rest, text[at - 1] ?? "", depth, put, (raw) => (plain += raw));
    if (taken) {
      at += taken;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  flush();
  return nodes;
}

/** Try everything that can start here; returns the number of characters it took, 0 for none. */
function special(rest, before, depth, put, say) {
  let hit;
  switch (rest[0]) {
    case "\n":
      put(el("br"));
      return 1;
    case "\\":
      if (!(hit = ESCAPED.exec(rest))) return 0;
      say(hit[1]);
      return hit[0].length;
    case "`":
      if (!(hit = CODE.exec(rest))) return 0;
      put(el("code", {}, hit[2].trim() ? hit[2].replace(/^ (.*) $/s, "$1") : hit[2]));
      return hit[0].length;
    case "h":
      if (/\w/.test(before) || !(hit = BARE_URL.exec(rest))) return 0;
      put(link(hit[0]));
      return hit[0].length;
    case "[":
      if (!(hit = NAMED_URL.exec(rest))) return 0;
      put(link(hit[2], inline(hit[1], depth + 1)));
      return hit[0].length;
    case "<":
      if ((hit = ANGLE_URL.exec(rest))) {
        put(link(hit[1]));
        return hit[0].length;
      }
      for (const [pattern, make] of ANGLES) {
        if ((hit = pattern.exec(rest))) {
          put(make(...hit.slice(1)));
          return hit[0].length;
        }
      }
      return 0;
    case "@":
      if (!(hit = /^@(everyone|here)\b/.exec(rest))) return 0;
      put(el("span", { class: "mention" }, hit[0]));
      return hit[0].length;
    case "*":
    case "_":
    case "~":
    case "|":
      if (depth > 6 || (rest[0] === "_" && /\w/.test(before))) return 0;
      for (const [pattern, wrap] of MARKS) {
        if ((hit = pattern.exec(rest))) {
          put(wrap(inline(hit[1], depth + 1)));
          return hit[0].length;
        }
      }
      return 0;
    default:
      return 0;
  }
}
