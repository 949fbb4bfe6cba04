/* Pointing into a picture: click or drag a tile, then a place, as the picture's file says where they are. What is chosen
   goes out as the very press that the menu or button below would send; whoever uses those loses nothing. */
import { el } from "./dom.js";
import { press } from "./interactions.js";
import { ask } from "./select.js";
import { targetsOf } from "./targets.js";

const SVG = "http://www.w3.org/2000/svg";
const FAR = 6; // px that a finger may tremble before a press becomes a drag
let serial = 0;

function svg(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** All menus and buttons of a message that can be used. */
const controls = (list) => (list ?? []).flatMap((it) => [...(it.custom_id && !it.disabled ? [it] : []), ...controls(it.components), ...controls(it.accessory ? [it.accessory] : [])]);

/** What a value stands for in this message: `{component, values, label, more}`, or null. */
function choiceOf(message, value) {
  for (const component of controls(message.components)) {
    if (component.custom_id === value) return { component, values: [], label: component.label ?? "", more: "" };
    const option = (component.options ?? []).find((one) => one.value === value);
    if (option) return { component, values: [value], label: option.label, more: option.description ?? "" };
  }
  return null;
}

const points = (corners) => corners.map((corner) => corner.join(",")).join(" ");
const middle = (corners) => [0, 1].map((way) => corners.reduce((sum, corner) => sum + corner[way], 0) / corners.length);

/** The map that lays three corners on three others, as SVG writes it. */
function laid(from, to) {
  const [[x0, y0], [x1, y1], [x2, y2]] = from;
  const det = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  const ways = [0, 1].map((way) => {
    const [u0, u1, u2] = to.map((corner) => corner[way]);
    const a = ((u1 - u0) * (y2 - y0) - (u2 - u0) * (y1 - y0)) / det;
    const b = ((u2 - u0) * (x1 - x0) - (u1 - u0) * (x2 - x0)) / det;
    return [a, b, u0 - a * x0 - b * y0];
  });
  return `matrix(${ways[0][0]} ${ways[1][0]} ${ways[0][1]} ${ways[1][1]} ${ways[0][2]} ${ways[1][2]})`;
}

class Pointing {
  constructor(told, moves, image, message) {
    const { naturalWidth: width, naturalHeight: height } = image;
    Object.assign(this, { told, moves, message, width, height, url: image.currentSrc });
    this.picked = null; // the number of a tile
    this.drag = null; // where a press began
    this.ghost = svg("g", { class: "ghost" });
    this.clips = svg("defs");
    this.tiles = told.tiles.map((corners, at) => this.area("tile", corners, at));
    this.places = told.places.map((corners, at) => this.area("place", corners, at));
    this.bubble = el("div", { class: "bubble", hidden: true });
    // a mouse's way beside the menu, which the keyboard and screen readers have
    this.layer = svg("svg", { class: "pointing", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", "data-testid": "pointing" }, this.clips, ...this.places, ...this.tiles, this.ghost);
    this.layer.addEventListener("pointermove", (event) => this.moved(event));
    this.layer.addEventListener("pointerup", (event) => this.released(event));
    this.layer.addEventListener("pointercancel", () => this.dropped());
    this.layer.addEventListener("pointerleave", () => this.drag || this.preview(null));
    this.paint();
  }

  area(kind, corners, at) {
    const number = kind === "tile" ? 1 : 2;
    const usable = this.moves.some((move) => move.target[number] === at);
    const node = svg("polygon", { class: `area area-${kind}`, points: points(corners), "data-testid": `${kind}-${at}` });
    if (usable) {
      node.addEventListener("pointerdown", (event) => this.pressed(event, kind, at));
      node.addEventListener("pointerenter", () => !this.drag && this.preview(kind === "place" ? at : null));
    } else {
      node.classList.add("idle");
    }
    return node;
  }

  /** The moves that a tile and a place leave; null for either of them means any. */
  left(tile, place) {
    return this.moves.filter(({ target }) => (tile === null || target[1] === null || target[1] === tile) && (place === null || target[2] === place));
  }

  pressed(event, kind, at) {
    event.preventDefault();
    this.drag = { kind, at, x: event.clientX, y: event.clientY, far: false };
    this.layer.setPointerCapture(event.pointerId);
    if (kind === "tile" && this.picked !== at) {
      this.drag.fresh = true;
      this.pick(at);
    }
  }

  /** The place under the pointer. */
  under(event) {
    const box = this.layer.getBoundingClientRect();
    const at = new DOMPoint(((event.clientX - box.left) / box.width) * this.width, ((event.clientY - box.top) / box.height) * this.height);
    const found = this.places.findIndex((node) => !node.classList.contains("idle") && node.isPointInFill(at));
    return [found < 0 ? null : found, at];
  }

  moved(event) {
    if (!this.drag) return;
    const { kind, x, y } = this.drag;
    if (Math.hypot(event.clientX - x, event.clientY - y) > FAR) this.drag.far = true;
    if (kind !== "tile" || !this.drag.far) return;
    const [place, at] = this.under(event);
    if (place !== null && this.left(this.picked, place).length) this.preview(place);
    else this.carry(at);
  }

  released(event) {
    if (!this.drag) return;
    const { kind, at, far, fresh } = this.drag;
    this.drag = null;
    const [place] = this.under(event);
    if (kind === "place" && place === at) this.choose(place);
    else if (kind === "tile" && far && place !== null) this.choose(place);
    else if (kind === "tile" && !far && !fresh) this.pick(null);
    else if (kind === "tile" && !far) this.alone(at);
    if (far) this.preview(null);
  }

  dropped() {
    this.drag = null;
    this.preview(null);
  }

  pick(tile) {
    this.picked = tile;
    this.preview(null);
    this.paint();
  }

  /** A tile that is a choice by itself: its places are shown next. */
  alone(tile) {
    const moves = this.left(tile, null);
    if (moves.length === 1 && moves[0].target[2] === null) this.send(moves[0]);
  }

  /** Choose a place, with the picked tile or any; where several moves are left, ask which. */
  choose(place) {
    const moves = this.left(this.picked, place);
    if (moves.length === 1) this.send(moves[0]);
    else if (moves.length) ask(this.places[place], moves.map(({ choice }) => ({ label: choice.label, more: choice.more })), (at) => this.send(moves[at]));
  }

  send({ choice }) {
    this.preview(null);
    press(this.message, choice.component, choice.values);
  }

  /** Show how it would lie: the tile on its place, and what the menu says of it. */
  preview(place) {
    this.ghost.replaceChildren();
    this.bubble.hidden = true;
    if (place === null) return;
    const moves = this.left(this.picked, place);
    if (!moves.length) return;
    const [{ target, choice }] = moves;
    const [, tile, , turned] = target;
    const to = this.told.places[place];
    if (tile !== null && turned && moves.every((move) => move.target[1] === tile)) this.lay(tile, [...turned].map((corner) => to[Number(corner)]));
    const [x, y] = middle(to);
    this.bubble.replaceChildren(...moves.slice(0, 4).map((move) => el("span", {}, [move.choice.label, move.choice.more].filter(Boolean).join(" · "))));
    if (moves.length > 4) this.bubble.append(el("span", {}, `+ ${moves.length - 4}`));
    this.bubble.hidden = !choice.label;
    this.bubble.style.setProperty("--x", `${Math.min(78, Math.max(22, (x / this.width) * 100))}%`);
    this.bubble.style.setProperty("--y", `${(Math.min(...to.map((corner) => corner[1])) / this.height) * 100}%`);
    this.bubble.classList.toggle("below", y < this.height * 0.2);
  }

  /** Draw a tile of the picture once more, its corners on these. */
  lay(tile, to) {
    const id = `clip-${(serial += 1)}`;
    this.clips.replaceChildren(svg("clipPath", { id }, svg("polygon", { points: points(this.told.tiles[tile]) })));
    const image = svg("image", { href: this.url, width: this.width, height: this.height, "clip-path": `url(#${id})` });
    this.ghost.replaceChildren(svg("g", { transform: laid(this.told.tiles[tile], to) }, image));
  }

  carry(at) {
    this.bubble.hidden = true;
    const from = this.told.tiles[this.picked];
    const [x, y] = middle(from);
    this.lay(this.picked, from.map(([cx, cy]) => [cx - x + at.x, cy - y + at.y]));
  }

  paint() {
    this.tiles.forEach((node, at) => node.classList.toggle("picked", at === this.picked));
    this.places.forEach((node, at) => {
      node.classList.toggle("open", this.picked !== null && this.left(this.picked, at).length > 0);
      node.classList.toggle("shut", this.picked !== null && !this.left(this.picked, at).length);
    });
  }
}

/** Let people point into a picture, if its file says where to and the message has something to choose. */
export async function pointInto(frame, image, message) {
  const told = await targetsOf(image.currentSrc || image.src);
  const moves = (told?.targets ?? []).map((target) => ({ target, choice: choiceOf(message, target[0]) })).filter((move) => move.choice);
  if (!moves.length || !frame.isConnected) return;
  const pointing = new Pointing(told, moves, image, message);
  const holder = el("div", { class: frame.classList.contains("tall") ? "pointed tall" : "pointed" });
  holder.style.cssText = frame.style.cssText;
  const focused = document.activeElement === frame;
  frame.before(holder);
  holder.append(frame, pointing.layer, pointing.bubble);
  if (focused) frame.focus({ preventScroll: true });
}
