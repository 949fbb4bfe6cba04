/* The older parts of a message: embeds, and attachments no component shows. */
import { fileRow } from "./components.js";
import { stamp } from "./clock.js";
import { el } from "./dom.js";
import { picture } from "./gallery.js";
import { link } from "./links.js";
import { inline } from "./inline.js";
import { markdown } from "./markdown.js";

const titleOf = (embed) => (embed.url ? link(embed.url, inline(embed.title)) : inline(embed.title));

function fields(list) {
  return el(
    "div",
    { class: "embed-fields" },
    list.map((field) =>
      el("div", { class: field.inline ? "embed-field beside" : "embed-field" }, el("div", { class: "embed-name" }, inline(field.name)), markdown(field.value)),
    ),
  );
}

function embed(it, message) {
  const foot = [it.footer?.text && el("span", {}, it.footer.text), it.timestamp && stamp(Date.parse(it.timestamp) / 1000, "f")].filter(Boolean);
  const node = el(
    "div",
    { class: "box box-accent embed" },
    it.thumbnail && picture(it.thumbnail, it.thumbnail.description, message, { kind: "picture thumbnail embed-thumb" }),
    it.author?.name && el("div", { class: "embed-author" }, it.author.name),
    it.title && el("div", { class: "embed-title" }, titleOf(it)),
    it.description && markdown(it.description),
    it.fields?.length && fields(it.fields),
    it.image && picture(it.image, it.image.description, message),
    foot.length > 0 && el("div", { class: "embed-foot" }, foot),
  );
  node.style.setProperty("--accent", it.color ? `#${it.color.toString(16).padStart(6, "0")}` : "var(--edge)");
  return node;
}

export const embeds = (message) => (message.embeds ?? []).map((it) => embed(it, message));

const isPicture = (attachment) => attachment.content_type?.startsWith("image/") ?? /\.(png|jpe?g|gif|webp)$/i.test(attachment.filename);

/** Attachments of a classic message; with version 2 components only what a component names is shown. */
export function attachments(message) {
  return (message.attachments ?? []).map((it) =>
    isPicture(it)
      ? el("div", { class: "gallery gallery-1" }, picture(it, it.description, message, { spoiler: it.filename.startsWith("SPOILER_") }))
      : fileRow({ url: it.url, name: it.filename, size: it.size }),
  );
}
