/* The tree of a message's components, as Discord's version 2 has them: containers, text, sections, pictures, rows. */
import { button } from "./controls.js";
import { el, icon } from "./dom.js";
import { gallery, picture } from "./gallery.js";
import { localUrl } from "./links.js";
import { markdown } from "./markdown.js";
import { select } from "./select.js";
import { say } from "./words.js";

const hex = (color) => `#${color.toString(16).padStart(6, "0")}`;

function container(component, message) {
  const node = el("div", { class: "box" }, components(component.components, message));
  if (component.accent_color !== null && component.accent_color !== undefined) {
    node.classList.add("box-accent");
    node.style.setProperty("--accent", hex(component.accent_color));
  }
  const tall = node.querySelector(":scope > .gallery-1 > .tall");
  if (tall) node.style.setProperty("--ratio", tall.style.getPropertyValue("--ratio"));
  return component.spoiler ? veil(node) : node;
}

/** Cover something until it is pressed. */
function veil(node) {
  node.inert = true;
  const cover = el("button", { type: "button", class: "cover" }, say("spoiler_show"));
  const frame = el("div", { class: "covered" }, node, cover);
  cover.addEventListener("click", () => {
    node.inert = false;
    frame.classList.remove("covered");
    cover.remove();
  });
  return frame;
}

function section(component, message) {
  const { accessory } = component;
  const side =
    accessory?.type === 11
      ? picture(accessory.media, accessory.description, message, { spoiler: accessory.spoiler, kind: "picture thumbnail" })
      : accessory && one(accessory, message);
  return el("div", { class: "section" }, el("div", { class: "section-text" }, components(component.components, message)), side && el("div", { class: "section-side" }, side));
}

export function fileRow({ url, name, size }) {
  const kilobytes = size ? ` · ${size < 1024 ? say("bytes", { n: size }) : `${(size / 1024).toFixed(size < 10_240 ? 1 : 0)} KB`}` : "";
  return el("a", { class: "file", href: localUrl(url), download: name }, icon("file"), el("span", {}, el("span", { class: "link" }, name), el("span", { class: "file-size" }, kilobytes)));
}

function file(component, message) {
  const url = localUrl(component.file.url);
  const known = (message.attachments ?? []).find((one) => localUrl(one.url) === url);
  return fileRow({ url, name: component.name ?? known?.filename ?? say("file"), size: component.size ?? known?.size });
}

const isEmptyButton = (component) => component.type === 2 && !component.label && !component.emoji;

const KINDS = {
  1: (it, message) => el("div", { class: "row" }, components(it.components.filter((inner) => !isEmptyButton(inner)), message)),
  2: button,
  3: select,
  5: select,
  6: select,
  7: select,
  8: select,
  9: section,
  10: (it) => markdown(it.content),
  12: (it, message) => gallery(it.items, message),
  13: file,
  14: (it) => el("div", { class: `divider ${it.spacing === 2 ? "wide" : ""} ${it.divider === false ? "clear" : ""}`, role: it.divider === false ? null : "separator" }),
  17: container,
};

function one(component, message) {
  const make = KINDS[component.type];
  return make ? make(component, message) : el("p", { class: "unknown" }, say("unknown_component", { kind: component.type }));
}

/** Elements for a list of components. */
export const components = (list, message) => (list ?? []).map((component) => one(component, message));

/** All text of a tree, line by line: what changed in a board is told from it. */
export function textsOf(list) {
  return (list ?? []).flatMap((it) => [
    ...(it.type === 10 ? it.content.split("\n") : []),
    ...textsOf(it.components),
  ]);
}
