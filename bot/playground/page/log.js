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
const SEEN = 40; // px from the end that hide no more than the edge of the newest message
const STILL = ["Tab", "Shift", "Enter", " ", "Escape"]; // keys that move no message
const scroller = byId("scroller");
const log = byId("log");
const pill = byId("pill");
const rows = new Map(); // message id -> article

let stuck = true; // the reader is at the end and wants to stay there
let held = null; // id of the private message that asks this reader for a choice: it stays in sight whatever comes
let below = 0; // messages that came while the reader was further up
let divider = null; // id of the first message that was new when the channel was opened
let loading = false;

const logHere = () => store.logs.get(store.here);

function toEnd() {
  stuck = true;
  held = null;
  below = 0;
  scroller.scrollTop = scroller.scrollHeight;
  paintPill();
}

const asks = (list) => (list ?? []).some((it) => (it.type === 3 && !it.disabled) || asks(it.components));

/** Look at what comes next, or at the choice that has come already. */
export function follow() {
  stuck = true;
  stay();
}

/** Stay where the reader wants to be: at what is asked of them, or at the end. */
function stay() {
  if (held && rows.has(held)) {
    const [row, view] = [rows.get(held), scroller].map((one) => one.getBoundingClientRect());
    // its end, where the menu and the buttons are; with a little air. Of a message longer than the page, the first line
    scroller.scrollTop += Math.min(row.bottom + 10 - view.bottom, row.top - 10 - view.top);
  } else if (stuck && messagesOf(store.here).length) scroller.scrollTop = scroller.scrollHeight;
  paintPill();
}

const beyond = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;

function paintPill() {
  // beside what is asked of a reader the newest message may be in sight: the pill would only cover its buttons
  pill.hidden = (stuck && !held) || below === 0 || beyond() < SEEN;
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
    below = 0;
  } else if (!stuck || held) {
    below += 1;
  }
  if (isMine(message)) {
    if (asks(message.components)) held = message.id;
    else if (held === message.id || !old) held = null;
  }
  arrange();
  stay();
  paintPill();
});

on("gone", ({ channel, id }) => {
  if (channel !== store.here) return;
  const row = rows.get(id);
  if (row?.contains(document.activeElement)) byId("composer")?.focus({ preventScroll: true });
  if (row) carryOver(row);
  rows.delete(id);
  if (held === id) held = null;
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
  held = null;
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
  held = null;
  row.scrollIntoView({ block: "center" });
  row.classList.remove("found");
  void row.offsetWidth; // restarts the animation when the same message is found twice
  row.classList.add("found");
  row.focus({ preventScroll: true });
  return true;
}

scroller.addEventListener("scroll", () => {
  stuck = beyond() < NEAR;
  if (stuck && !held) below = 0;
  paintPill();
  if (scroller.scrollTop < 300) readOlder();
});
// whoever looks elsewhere is let go
for (const way of ["wheel", "touchmove", "keydown"]) scroller.addEventListener(way, ({ key }) => !STILL.includes(key) && (held = null), { passive: true });
pill.addEventListener("click", toEnd);
on("to-end", follow);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && store.here) markRead(store.here);
});
// pictures that arrive, boards that grow, a keyboard that opens: whoever was at the end stays there
const keepEnd = new ResizeObserver(stay);
keepEnd.observe(log);
keepEnd.observe(scroller);
