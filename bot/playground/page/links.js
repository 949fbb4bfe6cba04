/* Where a link leads: a message of this server (a jump inside the page), a website, or nowhere safe. */
import { el, icon } from "./dom.js";
import { labelOf, signOf } from "./places.js";
import { key } from "./server.js";
import { channel, emit } from "./store.js";
import { say } from "./words.js";

const JUMP = /^https?:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?\/?$/;

/** `{channel, message}` of a Discord message link, else null. */
export function jumpTarget(url) {
  const hit = JUMP.exec(url);
  return hit ? { channel: hit[1], message: hit[2] ?? null } : null;
}

/** Only web addresses are followed. */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return ["http:", "https:"].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** Pictures and files of the local server are asked from this very page's address, under whatever name it is open. */
export function localUrl(url) {
  if (!url) return null;
  try {
    const parsed = new URL(url, location.href);
    if (parsed.pathname.startsWith("/attachments/")) return `${parsed.pathname}?${new URLSearchParams({ key })}`;
    return ["http:", "https:"].includes(parsed.protocol) || url.startsWith("data:image/") ? parsed.href : null;
  } catch {
    return null;
  }
}

export const jump = (target) => emit("jump", target);

/** A link with `label` nodes; a message link becomes a jump within the page. */
export function link(url, label = null) {
  const target = jumpTarget(url);
  if (target) {
    const place = channel(target.channel);
    const text = label ?? [icon(signOf(place)), labelOf(place), target.message ? icon("message") : null];
    return el(
      "button",
      {
        type: "button",
        class: label ? "link jump" : "mention jump",
        "aria-label": label ? null : say(target.message ? "go_to_message" : "go_to", { name: labelOf(place) }),
        on: { click: () => jump(target) },
      },
      text,
    );
  }
  const href = safeUrl(url);
  if (!href) return el("span", {}, label ?? url);
  return el("a", { class: "link", href, target: "_blank", rel: "noopener noreferrer" }, label ?? url);
}
