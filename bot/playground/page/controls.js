/* Buttons of a message: five styles, disabled, with emoji, as links, and waiting for the bot. */
import { el, icon } from "./dom.js";
import { isBusy, press } from "./interactions.js";
import { jump, jumpTarget, safeUrl } from "./links.js";

const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link", 6: "secondary" };

/** An emoji of a component; a custom one of the server has only its name here. */
export function emoji(value) {
  if (!value) return null;
  return el("span", { class: "emoji", "aria-hidden": value.id ? null : "true" }, value.id ? `:${value.name}:` : value.name);
}

function linkButton(component) {
  const target = jumpTarget(component.url);
  const inside = [emoji(component.emoji), el("span", {}, component.label ?? "")];
  if (component.disabled) return el("button", { type: "button", class: "press press-secondary", disabled: true }, inside);
  if (target) {
    return el("button", { type: "button", class: "press press-secondary", on: { click: () => jump(target) } }, inside);
  }
  const href = safeUrl(component.url);
  return el(
    "a",
    { class: "press press-secondary", href, target: "_blank", rel: "noopener noreferrer" },
    inside,
    icon("outside"),
  );
}

/** The element of a button component (type 2). */
export function button(component, message) {
  if (component.style === 5) return linkButton(component);
  const node = el(
    "button",
    {
      type: "button",
      class: `press press-${STYLES[component.style] ?? "secondary"}`,
      disabled: Boolean(component.disabled) || message.local,
      "data-testid": "button",
      "data-custom-id": component.custom_id,
      "aria-label": component.label ? null : component.emoji?.name,
      on: { click: () => press(message, component) },
    },
    emoji(component.emoji),
    component.label ? el("span", { class: "press-label" }, component.label) : null,
    el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")),
  );
  showBusy(node, isBusy(message.id, component.custom_id));
  return node;
}

/** Mark a button or menu as waiting. It keeps its place and label, so that nothing moves under the finger. */
export function showBusy(node, value) {
  if (value) node.setAttribute("aria-busy", "true");
  else node.removeAttribute("aria-busy");
}
