/* The list of messages of the open channel: kept in order, drawn once each, and scrolled as a reader expects. */
import { dayLine, sameDay } from "./clock.js";
import { textsOf } from "./components.js";
import { showBusy } from "./controls.js";
import { byId, el, icon, nameOf, speak } from "./dom.js";
import { keepOldPictures } from "./gallery.js";
import { intro } from "./intro.js";
import { plain } from "./markdown.js";
import { continues, messageView } from "./message.js";
import { carryOver } from "./select.js";
import { findMessage, isMine, loadMessages, markRead, messagesOf, on, store } from "./store.js";
import { say } from "./words.js";

const NEAR = 90; // px from the end that still count as "at the end"
const scroller = byId("scroller");
const log = byId("log");
const pill = byId("pill");
const rows = new Map(); // message id -> article

let stuck = true; // the reader is at the end and wants to stay there
let below = 0; // messages that came while the reader was further up
let divider = null; // id of the first message that was new when the channel was opened
let loading = false;

const logHere = () => store.logs.get(store.here);

export function toEnd() {
  stuck = true;
  scroller.scrollTop = scroller.scrollHeight;
}

function paintPill() {
  pill.hidden = stuck || below === 0;
  pill.replaceChildren(icon("down"), say("new_messages", { n: below }));
}

/** Put all rows into their order, with day lines and the "new" line, moving only what is in the wrong place. */
function arrange() {
  const messages = messagesOf(store.here);
  const wanted = [];
  let last = null;
  for (const message of messages) {
    const newDay = last === null || !sameDay(last.timestamp, message.timestamp);
    if (newDay) wanted.push(line(`day-${message.timestamp.slice(0, 10)}`, "day", dayLine(message.timestamp)));
    if (message.id === divider) wanted.push(line("new", "new", say("new")));
    if (!rows.has(message.id)) rows.set(message.id, messageView(message));
    const row = rows.get(message.id);
    row.classList.toggle("compact", !newDay && message.id !== divider && continues(message, last));
    wanted.push(row);
    last = message;
  }
  const keep = new Set(wanted);
  for (const node of [...log.children]) if (!keep.has(node)) node.remove();
  let place = log.firstChild;
  for (const node of wanted) {
    if (node === place) place = place.nextSibling;
    else log.insertBefore(node, place);
  }
}

/** The start of the channel: its welcome, once everything older is here. */
function paintTop() {
  if (!logHere()?.loaded) return;
  const top = byId("log-top");
  const active = top.contains(document.activeElement) ? document.activeElement : null;
  top.replaceChildren(intro(logHere().complete));
  const same = active?.dataset.testid && top.querySelector(`[data-testid="${CSS.escape(active.dataset.testid)}"]`);
  same?.focus({ preventScroll: true });
}
for (const change of ["people", "commands", "channels"]) on(change, paintTop);

function line(key, kind, text) {
  const known = [...log.children].find((node) => node.dataset.line === key);
  return known ?? el("div", { class: `line line-${kind}`, role: "separator", "aria-label": text, "data-line": key }, el("span", { "aria-hidden": "true" }, text));
}

/** Draw a message anew where it stands, keeping the keyboard where it was. */
function redraw(id, message) {
  const old = rows.get(id);
  if (!old) return;
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const fresh = messageView(message);
  fresh.classList.toggle("compact", old.classList.contains("compact"));
  // an edit is told in one sentence (below); read aloud as a whole it would bury the reader
  fresh.setAttribute("aria-live", "off");
  keepOldPictures(old, fresh);
  rows.set(id, fresh);
  old.replaceWith(fresh);
  carryOver(old, fresh);
  if (active) {
    const same = active.dataset.customId && fresh.querySelector(`[data-custom-id="${CSS.escape(active.dataset.customId)}"]:not(:disabled)`);
    (same || fresh).focus({ preventScroll: true });
  }
}

const textOf = (message) => [...(message.content ?? "").split("\n"), ...textsOf(message.components)];

/** Tell screen readers what is new in an edited message. */
function tellChange(message, old) {
  const known = new Set(textOf(old));
  const fresh = textOf(message).filter((text) => text.trim() && !known.has(text));
  if (fresh.length) speak(`${nameOf(message.author)}: ${plain(fresh.join("\n")).slice(0, 300)}`);
}

on("message", ({ message, old }) => {
  if (message.channel_id !== store.here) return;
  if (old) {
    redraw(message.id, message);
    if (JSON.stringify(textOf(old)) !== JSON.stringify(textOf(message))) tellChange(message, old);
  } else if (isMine(message)) {
    // it answers what this person just did, so it is what they want to see
    stuck = true;
  } else if (!stuck) {
    below += 1;
  }
  arrange();
  if (stuck) toEnd();
  paintPill();
});

on("gone", ({ channel, id }) => {
  if (channel !== store.here) return;
  const row = rows.get(id);
  if (row?.contains(document.activeElement)) byId("composer")?.focus({ preventScroll: true });
  if (row) carryOver(row);
  rows.delete(id);
  arrange();
});

on("failure", ({ messageId }) => {
  const message = findMessage(store.here, messageId);
  if (message) redraw(messageId, message);
});

on("busy", ({ messageId, customId, value }) => {
  const node = rows.get(messageId)?.querySelector(`[data-custom-id="${CSS.escape(customId)}"]`);
  if (node) showBusy(node, value);
});

on("loaded", ({ channel }) => {
  if (channel !== store.here) return;
  log.setAttribute("aria-live", "off");
  rows.clear();
  log.replaceChildren();
  paintTop();
  arrange();
  // where nothing was said yet, the reader is at the top of what there is to begin with
  if (messagesOf(store.here).length) toEnd();
  else scroller.scrollTop = 0;
  setTimeout(() => log.setAttribute("aria-live", "polite"), 500);
});

on("older", ({ channel }) => {
  if (channel !== store.here) return;
  const distance = scroller.scrollHeight - scroller.scrollTop;
  paintTop();
  arrange();
  scroller.scrollTop = scroller.scrollHeight - distance;
});

/** Show an empty list while a channel is on its way; `first` is the first message not read yet. */
export function clear(first = null) {
  divider = first;
  below = 0;
  stuck = true;
  rows.clear();
  log.replaceChildren();
  byId("log-top").replaceChildren(el("div", { class: "skeleton", "aria-hidden": "true" }, ...[0, 1, 2, 3].map(() => el("div", {}, el("i"), el("b")))));
  paintPill();
}

async function readOlder() {
  const now = logHere();
  if (loading || !now?.loaded || now.complete) return 0;
  loading = true;
  try {
    return await loadMessages(store.here, true);
  } catch {
    return 0;
  } finally {
    loading = false;
  }
}

/** Bring a message into view and mark it for a moment; false when it does not exist any more. */
export async function showMessage(id) {
  for (let page = 0; page < 20 && !rows.has(id); page += 1) if (!(await readOlder())) break;
  const row = rows.get(id);
  if (!row) return false;
  stuck = false;
  row.scrollIntoView({ block: "center" });
  row.classList.remove("found");
  void row.offsetWidth; // restarts the animation when the same message is found twice
  row.classList.add("found");
  row.focus({ preventScroll: true });
  return true;
}

scroller.addEventListener("scroll", () => {
  stuck = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
  if (stuck) below = 0;
  paintPill();
  if (scroller.scrollTop < 300) readOlder();
});
pill.addEventListener("click", toEnd);
on("to-end", toEnd);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && store.here) markRead(store.here);
});
// pictures that arrive, boards that grow, a keyboard that opens: whoever was at the end stays there
const keepEnd = new ResizeObserver(() => stuck && messagesOf(store.here).length && toEnd());
keepEnd.observe(log);
keepEnd.observe(scroller);
