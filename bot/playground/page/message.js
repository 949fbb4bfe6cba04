/* One message: who, when, in answer to what, its content, and the lines under it. */
import { messageTime, shortTime } from "./clock.js";
import { components, textsOf } from "./components.js";
import { accentOf, byId, el, face, icon, nameOf } from "./dom.js";
import { attachments, embeds } from "./embeds.js";
import { dismiss, failureOf } from "./interactions.js";
import { markdown, plain } from "./markdown.js";
import { channel, dropMessage, emit, findMessage, isMine, LOADING, store, THREAD, V2 } from "./store.js";
import { say, sayWith } from "./words.js";

/** What marks an author who is no person. */
const tagOf = (author) => (author?.bot || author?.system ? el("span", { class: "tag" }, say(author.system ? "system" : "app")) : null);

/** True when the text calls the person of this tab. */
const callsMe = (message) => (message.mentions ?? []).some((user) => user.id === store.me?.id);

/** "Ada used /tiles new" above an answer to a slash command. */
function usedLine(message) {
  const used = message.interaction_metadata ?? message.interaction;
  if (!used?.name) return null;
  return el("div", { class: "before" }, icon("reply"), face(used.user, "tiny"), el("span", {}, sayWith("used", { name: el("strong", {}, nameOf(used.user)), command: el("span", { class: "mention" }, `/${used.name}`) })));
}

/** "Ada: what was said" above a reply; pressing it goes there. */
function replyLine(message) {
  const reference = message.message_reference;
  if (!reference?.message_id || message.type === 18 || message.type === 21) return null;
  const place = reference.channel_id ?? message.channel_id;
  const target = message.referenced_message ?? findMessage(place, reference.message_id);
  const first = target ? [target.content, ...textsOf(target.components)].find((text) => text?.trim()) : null;
  const said = target ? plain(first ?? say("a_picture")).slice(0, 90) : say("earlier_message");
  return el(
    "button",
    { type: "button", class: "before before-reply", on: { click: () => emit("jump", { channel: place, message: reference.message_id }) } },
    icon("reply"),
    target ? [face(target.author, "tiny"), el("strong", {}, nameOf(target.author))] : null,
    el("span", { class: "before-text" }, said),
  );
}

const edited = (message) => (message.edited_timestamp ? el("span", { class: "edited", title: say("edited_why") }, say("edited")) : null);

function head(message) {
  const author = el("span", { class: "author" }, nameOf(message.author));
  if (!message.author?.bot) author.style.setProperty("--accent", accentOf(message.author));
  return el("div", { class: "head" }, author, tagOf(message.author), messageTime(message.timestamp), message.content ? null : edited(message));
}

function body(message) {
  if (message.failed) return [el("p", { class: "failed", role: "alert" }, icon("warning"), message.failed)];
  if (message.flags & LOADING) {
    const name = nameOf(message.author);
    return [el("p", { class: "thinking" }, el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")), say("thinking", { name }))];
  }
  if (message.type === 18) return [el("p", { class: "quiet" }, sayWith("thread_started", { name: el("strong", {}, message.content) }))];
  if (message.type === 6) return [el("p", { class: "quiet" }, say("pinned"))];
  const parts = [];
  if (message.content) {
    const text = markdown(message.content);
    (text.lastElementChild?.tagName === "P" ? text.lastElementChild : text).append(" ", edited(message) ?? "");
    parts.push(text);
  }
  if (!(message.flags & V2)) parts.push(...attachments(message), ...embeds(message));
  const tree = components(message.components, message);
  if (tree.length) parts.push(el("div", { class: "tree" }, tree));
  if (!parts.length) parts.push(el("p", { class: "quiet" }, say("empty_message")));
  return parts;
}

/** The card that leads into a thread: the one started on this message, or the one whose start it tells. */
function threadCard(message) {
  const named = channel(message.type === 18 ? message.message_reference?.channel_id : message.id);
  const thread = message.thread ?? (named?.type === THREAD ? named : null);
  if (!thread) return null;
  const name = channel(thread.id)?.name ?? thread.name;
  const open = () => emit("jump", { channel: thread.id, message: null });
  return el("button", { type: "button", class: "thread-card", "data-testid": "thread-link", on: { click: open } }, icon("thread"), el("strong", {}, name), el("span", { class: "link" }, say("open_thread")));
}

function foot(message) {
  const failure = failureOf(message.id);
  const lines = [];
  if (failure) lines.push(el("p", { class: "failed", role: "alert", "data-testid": "failure" }, icon("warning"), failure));
  if (isMine(message)) {
    const away = async () => {
      try {
        await dismiss(message);
        dropMessage(message.channel_id, message.id);
        byId("composer")?.focus({ preventScroll: true });
      } catch (refusal) {
        emit("notice", { text: refusal.message, bad: true });
      }
    };
    lines.push(
      el("p", { class: "only-you" }, icon("eye"), `${say("only_you")} · `, el("button", { type: "button", class: "link", "data-testid": "dismiss", on: { click: away } }, say("dismiss"))),
    );
  }
  return lines.length ? el("div", { class: "foot" }, lines) : null;
}

/** The whole article of a message. */
export function messageView(message) {
  const mine = isMine(message);
  const before = usedLine(message) ?? replyLine(message);
  const node = el(
    "article",
    {
      class: `message${mine ? " ephemeral" : ""}${callsMe(message) ? " calls-me" : ""}`,
      tabindex: "-1",
      "data-testid": "message",
      "data-message-id": message.id,
      "data-ephemeral": String(mine),
      "data-author": nameOf(message.author),
      "data-loading": message.flags & LOADING ? "true" : null,
      "aria-label": `${nameOf(message.author)}, ${shortTime(message.timestamp)}${mine ? `, ${say("only_you_spoken")}` : ""}`,
    },
    before,
    el("div", { class: "message-face" }, face(message.author), el("span", { class: "short-time", "aria-hidden": "true" }, shortTime(message.timestamp))),
    el("div", { class: "message-main" }, head(message), el("div", { class: "content" }, body(message)), threadCard(message), foot(message)),
  );
  if (before) node.classList.add("has-before");
  return node;
}

/** Messages close together by one author share a head. */
export function continues(message, last) {
  return (
    last !== null &&
    last.author?.id === message.author?.id &&
    isMine(last) === isMine(message) &&
    !message.interaction_metadata?.name &&
    !message.interaction?.name &&
    !message.message_reference &&
    message.type !== 18 &&
    Date.parse(message.timestamp) - Date.parse(last.timestamp) < 7 * 60_000
  );
}
