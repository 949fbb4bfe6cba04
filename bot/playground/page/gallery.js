/* Pictures: in a message, side by side in a gallery, and large with their description under them. */
import { byId, el, icon } from "./dom.js";
import { localUrl } from "./links.js";
import { pointInto } from "./pointing.js";
import { DIRECT, channel, isMine } from "./store.js";
import { say } from "./words.js";

const AGAIN = 700; // milliseconds until a picture that did not come is asked for once more

/** Size of a picture: from the component, or from the attachment it shows. */
function sizeOf(media, message) {
  if (media.width && media.height) return media;
  const url = localUrl(media.url);
  return (message.attachments ?? []).find((one) => localUrl(one.url) === url) ?? {};
}

/** One picture as a button that opens it large. `media` has url, width, height; `alt` may be empty. */
export function picture(media, alt, message, { spoiler = false, kind = "picture" } = {}) {
  const url = localUrl(media.url);
  const { width, height } = sizeOf(media, message);
  const image = el("img", { src: url, alt: alt || say("no_description"), width, height, decoding: "async", draggable: "false" });
  if (width && height) image.style.aspectRatio = `${width} / ${height}`;
  const frame = el("button", { type: "button", class: kind, title: say("open_large"), "data-testid": "picture" }, image);
  if (width && height) {
    frame.style.setProperty("--natural", `${width}px`);
    frame.style.setProperty("--ratio", String(width / height));
    frame.classList.toggle("tall", height > width * 1.1);
  }
  let tried = false;
  image.addEventListener("error", () => {
    if (!tried) {
      tried = true;
      setTimeout(() => (image.src = url), AGAIN);
      return;
    }
    frame.classList.add("broken");
    frame.replaceChildren(icon("warning"), el("span", {}, say("picture_failed")), alt ? el("span", {}, alt) : null);
  });
  image.addEventListener("load", () => {
    frame.classList.add("ready");
    // only what is private says where its parts are
    if (isMine(message) || channel(message.channel_id)?.type === DIRECT) pointInto(frame, image, message);
  });
  let hidden = spoiler;
  if (hidden) {
    frame.classList.add("veiled");
    frame.dataset.veil = say("spoiler");
  }
  frame.addEventListener("click", () => {
    if (hidden) {
      hidden = false;
      frame.classList.remove("veiled");
    } else if (!frame.classList.contains("broken")) {
      openLarge(url, alt);
    }
  });
  return frame;
}

/** A media gallery: one picture in full width, more in a grid. */
export function gallery(items, message) {
  const pictures = items.map((item) => picture(item.media, item.description, message, { spoiler: item.spoiler }));
  return el("div", { class: `gallery gallery-${Math.min(pictures.length, 3)}` }, pictures);
}

/** While a new picture loads, the old one shows through: a board that changes does not blink. */
export function keepOldPictures(before, after) {
  const old = [...before.querySelectorAll(".picture img")];
  [...after.querySelectorAll(".picture img")].forEach((image, at) => {
    const last = old[at];
    if (!last?.complete || !last.naturalWidth) return;
    image.style.backgroundImage = `url("${last.currentSrc.replaceAll('"', "%22")}")`;
    image.style.backgroundSize = "100% 100%";
    image.addEventListener("load", () => (image.style.backgroundImage = ""), { once: true });
  });
}

function openLarge(url, alt) {
  const dialog = byId("lightbox");
  const close = el(
    "button",
    { type: "button", class: "icon-button lightbox-close", "aria-label": say("close_picture"), on: { click: () => dialog.close() } },
    icon("close"),
  );
  dialog.replaceChildren(
    close,
    el("img", { src: url, alt: alt || say("no_description") }),
    el(
      "div",
      { class: "lightbox-text" },
      alt ? el("p", { "data-testid": "alt-text" }, alt) : null,
      el("a", { class: "link", href: url, target: "_blank", rel: "noopener" }, say("open_original")),
    ),
  );
  // a press beside the picture closes it, like everywhere
  dialog.onclick = (event) => event.target === dialog && dialog.close();
  dialog.showModal();
}
