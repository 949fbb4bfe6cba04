/* The dialog a bot may open: a title, fields to fill, Cancel and Send. */
import { byId, el, icon } from "./dom.js";
import { answerDialog } from "./interactions.js";
import { markdown } from "./markdown.js";
import { select } from "./select.js";
import { on } from "./store.js";
import { say } from "./words.js";

let serial = 0;

/** A text field (component type 4): one line or several. */
function textField(component, values) {
  const id = `field-${(serial += 1)}`;
  const long = component.style === 2;
  const node = el(long ? "textarea" : "input", {
    id,
    type: long ? null : "text",
    rows: long ? "4" : null,
    placeholder: component.placeholder,
    required: component.required !== false,
    minlength: component.min_length,
    maxlength: component.max_length ?? 4000,
    autocomplete: "off",
    "data-testid": "field",
    "data-custom-id": component.custom_id,
  });
  node.value = component.value ?? "";
  values[component.custom_id] = () => node.value;
  return { id, node, optional: component.required === false };
}

function field(component, values) {
  if (component.type === 1) return component.components.map((inner) => field(inner, values));
  if (component.type === 10) return markdown(component.content);
  if (component.type === 18) return labelled(component.component, component.label, component.description, values);
  if (component.type === 4) return labelled(component, component.label, null, values);
  return el("p", { class: "unknown" }, say("unknown_field", { kind: component.type }));
}

function labelled(component, label, description, values) {
  if (component.type === 4) {
    const made = textField(component, values);
    return el(
      "div",
      { class: "field" },
      el("label", { for: made.id }, label, made.optional ? el("span", { class: "field-optional" }, ` (${say("optional")})`) : null),
      description && el("p", { class: "field-more" }, description),
      made.node,
    );
  }
  let chosen = [];
  values[component.custom_id] = () => chosen;
  const node = select(component, null, (picked) => (chosen = picked));
  return el("div", { class: "field" }, el("span", { class: "field-label" }, label), description && el("p", { class: "field-more" }, description), node);
}

function show(data) {
  const dialog = byId("modal");
  const values = {};
  const trouble = el("p", { class: "field-error", role: "alert" });
  const submit = el("button", { type: "submit", class: "press press-primary", "data-testid": "modal-submit" }, say("send"));
  const cancel = () => dialog.close();
  const form = el(
    "form",
    {
      on: {
        submit: async (event) => {
          event.preventDefault();
          submit.setAttribute("aria-busy", "true");
          try {
            await answerDialog(data, Object.fromEntries(Object.entries(values).map(([id, read]) => [id, read()])));
            dialog.close();
          } catch (refusal) {
            trouble.textContent = refusal.message;
          } finally {
            submit.removeAttribute("aria-busy");
          }
        },
      },
    },
    el("div", { class: "modal-head" }, el("h2", { id: "modal-title" }, data.title), el("button", { type: "button", class: "icon-button", "aria-label": say("cancel"), on: { click: cancel } }, icon("close"))),
    el("div", { class: "modal-body" }, (data.components ?? []).map((component) => field(component, values)), trouble),
    el("div", { class: "modal-foot" }, el("button", { type: "button", class: "press press-secondary", on: { click: cancel } }, say("cancel")), submit),
  );
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
  form.querySelector("input, textarea, .select")?.focus();
}

on("modal", show);
