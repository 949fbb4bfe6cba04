/* The right column: who is here, becoming one of them, and adding somebody new. */
import { byId, el, face, icon, nameOf } from "./dom.js";
import { tabUrl } from "./intro.js";
import { post } from "./server.js";
import { emit, on, store } from "./store.js";

function row(user) {
  const me = user.id === store.me?.id;
  const name = nameOf(user);
  return el(
    "li",
    { class: `person${me ? " person-me" : ""}` },
    el(
      "button",
      {
        type: "button",
        class: "person-be",
        "aria-pressed": String(me),
        "aria-label": me ? `${name}, this is you` : `Be ${name}`,
        "data-testid": `person-${name}`,
        on: { click: () => emit("be", { user }) },
      },
      face(user),
      el("span", { class: "person-text" }, el("span", { class: "person-name" }, name), el("span", { class: "person-more" }, me ? "This is you" : "Be this person")),
    ),
    el("a", { class: "icon-button", href: tabUrl(user), target: "_blank", title: `Open a second tab as ${name}`, "aria-label": `Open a second tab as ${name}`, "data-testid": `tab-${name}` }, icon("outside")),
  );
}

function botRow() {
  if (!store.bot) return null;
  return el(
    "section",
    {},
    el("h3", { class: "group" }, "Bot"),
    el(
      "div",
      { class: `person person-bot${store.online ? "" : " offline"}` },
      face(store.bot),
      el("span", { class: "person-text" }, el("span", { class: "person-name" }, nameOf(store.bot), el("span", { class: "tag" }, "APP")), el("span", { class: "person-more" }, store.online ? "Online" : "Not here yet...")),
    ),
  );
}

const list = el("ul", { id: "folk-people" });
const count = el("h3", { class: "group" });
const HINT = "Press a name to be that person. The arrow opens a second tab as them.";
const botPlace = el("div");
const trouble = el("p", { class: "field-error", role: "alert" });
const input = el("input", { id: "new-person", type: "text", maxlength: "32", placeholder: "A name", autocomplete: "off", "data-testid": "new-person" });

async function add(event) {
  event.preventDefault();
  const name = input.value.trim();
  trouble.textContent = "";
  if (!name) {
    trouble.textContent = "Please type a name first.";
    input.focus();
    return;
  }
  try {
    const user = await post("people", { name });
    if (!store.people.some((one) => one.id === user.id)) store.people = [...store.people, user];
    input.value = "";
    emit("people");
    emit("notice", { text: `${nameOf(user)} has joined. Press the name to be them, or the arrow for a second tab.` });
  } catch (refusal) {
    trouble.textContent = refusal.message;
  }
}

function paint() {
  const active = list.contains(document.activeElement) ? document.activeElement.dataset.testid : null;
  count.textContent = `${store.people.length} here`;
  list.replaceChildren(...store.people.map(row));
  botPlace.replaceChildren(botRow() ?? "");
  if (active) list.querySelector(`[data-testid="${CSS.escape(active)}"]`)?.focus();
}

export function startPeople() {
  byId("people-list").append(
    el("section", {}, count, el("p", { class: "folk-hint" }, HINT), list),
    el("form", { class: "add-person", on: { submit: add } }, el("label", { for: "new-person" }, "Add a person"), el("div", { class: "add-row" }, input, el("button", { type: "submit", class: "press press-secondary", "data-testid": "add-person" }, icon("plus"), "Add")), trouble),
    botPlace,
  );
  for (const change of ["people", "me", "bot", "here"]) on(change, paint);
}
