/* Building blocks of the page: elements, icons and faces. Text always enters as text nodes, never as HTML. */
import { say } from "./words.js";

/** Make an element. `props.on` holds listeners; false, null and undefined props and children are left out. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    } else if (name === "class") {
      node.className = value;
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const byId = (id) => document.getElementById(id);

// Stroke paths on a 24x24 grid, drawn for this page.
const PATHS = {
  play: "M7 4.5v15l12-7.5z",
  hash: "M9.5 4 7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16",
  thread: "M5 5h14v10h-7l-4 4v-4H5zM9 9h6M9 12h3",
  people: "M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zM3 19c.4-3.4 2.8-5 6-5s5.6 1.6 6 5M16 11a2.6 2.6 0 1 0-.8-5M17.5 14c2 .5 3.2 2 3.5 4.5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  send: "M4 12 20 5l-5 15-3.5-6.5zM11.5 13.5 20 5",
  slash: "M15 4 9 20",
  eye: "M2.5 12S6 6 12 6s9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  plus: "M12 5v14M5 12h14",
  down: "M6 9.5l6 6 6-6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  outside: "M13 5h6v6M19 5l-8.5 8.5M17 14v5H5V7h5",
  warning: "M12 4 2.8 20h18.400zM12 10v4.5M12 17.2v.3",
  reply: "M10 6 4.5 11.5 10 17M5 11.5h8c4 0 6 2 6.5 6",
  message: "M4 5h16v11H9l-5 4z",
  at: "M15.5 12a3.5 3.5 0 1 0-7 0 3.5 3.5 0 0 0 7 0zm0-3.5V13c0 3 4.5 2.5 4.5-1a8 8 0 1 0-3.2 6.400",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  swap: "M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4",
};

/** A small line icon; it is decoration, so it is hidden from screen readers. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export const nameOf = (user) => user?.global_name || user?.username || say("somebody");

const PALETTE = ["#5b9dff", "#ffa54f", "#6fdd8b", "#ea86dd", "#ffd24d", "#67d6e8", "#ff8b8b", "#b79cff"];

/** The colour of a person: the server's accent, or one picked from the id so it stays the same. */
export function accentOf(user) {
  const accent = user?.accent ?? user?.accent_color;
  if (typeof accent === "number") return `#${accent.toString(16).padStart(6, "0")}`;
  if (typeof accent === "string" && /^#[0-9a-f]{6}$/i.test(accent)) return accent;
  return PALETTE[Number(BigInt(user?.id || 0) % BigInt(PALETTE.length))];
}

/** Round picture of a person: the first letter on their colour, or the tile for the bot. */
export function face(user, size = "") {
  if (user?.bot) {
    return el("img", { class: `face face-bot ${size}`, src: "/page/icon.svg", alt: "" });
  }
  const first = [...nameOf(user)][0]?.toUpperCase() ?? "?";
  const node = el("span", { class: `face ${size}`, "aria-hidden": "true" }, first);
  node.style.setProperty("--accent", accentOf(user));
  return node;
}

/** Say something to screen readers only. */
export function speak(text) {
  const place = byId("spoken");
  place.textContent = "";
  // an empty turn between two texts makes readers say the same sentence twice when it happens twice
  setTimeout(() => (place.textContent = text), 60);
}
