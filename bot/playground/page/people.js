/* The right column: who is here, becoming one of them, and adding somebody new. */
import { byId, el, face, icon, nameOf } from "./dom.js";
import { tabUrl } from "./intro.js";
import { post } from "./server.js";
import { emit, on, store } from "./store.js";
import { say } from "./words.js";

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
        "data-testid": `person-${name}`,
        on: { click: () => emit("be", { user }) },
      },
      face(user),
      el("span", { class: "person-text" }, el("span", { class: "person-name" }, name), el("span", { class: "person-more" }, say(me ? "this_is_you" : "be_this_person"))),
    ),
    el("a", { class: "icon-button", href: tabUrl(user), target: "_blank", title: say("second_tab", { name }), "aria-label": say("second_tab", { name }), "data-testid": `tab-${name}` }, icon("outside")),
  );
}

function botRow() {
  if (!store.bot) return null;
  return el(
    "section",
    {},
    el("h3", { class: "group" }, say("bot")),
    el(
      "div",
      { class: `person person-bot${store.online ? "" : " offline"}` },
      face(store.bot),
      el("span", { class: "person-text" }, el("span", { class: "person-name" }, nameOf(store.bot), el("span", { class: "tag" }, say("app"))), el("span", { class: "person-more" }, say(store.online ? "bot_online" : "bot_away"))),
    ),
  );
}

const list = el("ul", { id: "folk-people" });
const count = el("h3", { class: "group" });
const botPlace = el("div");
const trouble = el("p", { class: "field-error", role: "alert" });
const input = el("input", { id: "new-person", type: "text", placeholder: say("a_name"), autocomplete: "off", "data-testid": "new-person" });

async function add(event) {
  event.preventDefault();
  const name = input.value.trim();
  trouble.textContent = "";
  if (!name) {
    trouble.textContent = say("name_first");
    input.focus();
    return;
  }
  try {
    const user = await post("people", { name });
    if (!store.people.some((one) => one.id === user.id)) store.people = [...store.people, user];
    input.value = "";
    emit("people");
    emit("notice", { text: say(user.cut ? "joined_cut" : "joined", { name: nameOf(user) }) });
  } catch (refusal) {
    trouble.textContent = refusal.message;
  }
}

function paint() {
  const active = list.contains(document.activeElement) ? document.activeElement.dataset.testid : null;
  count.textContent = say("people_here", { n: store.people.length });
  list.replaceChildren(...store.people.map(row));
  botPlace.replaceChildren(botRow() ?? "");
  if (active) list.querySelector(`[data-testid="${CSS.escape(active)}"]`)?.focus();
}

export function startPeople() {
  byId("people-list").append(
    el("section", {}, count, el("p", { class: "folk-hint" }, say("people_hint")), list),
    el("form", { class: "add-person", on: { submit: add } }, el("label", { for: "new-person" }, say("add_person")), el("div", { class: "add-row" }, input, el("button", { type: "submit", class: "press press-secondary", "data-testid": "add-person" }, icon("plus"), say("add"))), trouble),
    botPlace,
  );
  for (const change of ["people", "me", "bot", "here"]) on(change, paint);
}
