/* What a person asked of the bot: presses, choices, commands, dialogs - on their way, answered or failed. */
import { post } from "./server.js";
import { EPHEMERAL, emit, messagesOf, on, putMessage, store } from "./store.js";
import { say } from "./words.js";

const PATIENCE = 4000; // ms; the server reports a failure after 3 s, so nothing spins longer than this
const busy = new Map(); // "message/custom_id" -> timer
const asked = new Map(); // interaction id -> what it was for
const early = new Map(); // outcomes that came before the answer to the request
const failures = new Map(); // message id -> sentence under that message

const keyOf = (messageId, customId) => `${messageId}/${customId}`;

export const isBusy = (messageId, customId) => busy.has(keyOf(messageId, customId));
export const failureOf = (messageId) => failures.get(messageId) ?? null;

function setBusy(messageId, customId, value) {
  const key = keyOf(messageId, customId);
  clearTimeout(busy.get(key));
  if (value) busy.set(key, setTimeout(() => setBusy(messageId, customId, false), PATIENCE));
  else busy.delete(key);
  emit("busy", { messageId, customId, value });
}

function setFailure(messageId, text) {
  if (text) failures.set(messageId, text);
  else failures.delete(messageId);
  emit("failure", { messageId });
}

/** Press a button or send a menu's values. Resolves when the server took it; trouble is shown under the message. */
export async function press(message, component, values = []) {
  const { custom_id: customId, type } = component;
  if (isBusy(message.id, customId)) return;
  if (failureOf(message.id)) setFailure(message.id, null);
  setBusy(message.id, customId, true);
  try {
    const answer = await post("components", {
      as: store.me.id,
      channel_id: message.channel_id,
      message_id: message.id,
      custom_id: customId,
      component_type: type,
      values,
    });
    remember(answer?.interaction_id, { message, customId });
  } catch (refusal) {
    setBusy(message.id, customId, false);
    setFailure(message.id, refusal.message);
  }
}

/** Send a slash command; throws Refusal when the server does not take it. */
export async function command({ name, path, options, shown }) {
  const channelId = store.here;
  const answer = await post("commands", { as: store.me.id, channel_id: channelId, command: name, path, options });
  remember(answer?.interaction_id, { channelId, shown });
}

/** Send a filled dialog; throws Refusal. */
export async function answerDialog(dialog, fields) {
  const answer = await post("modals", { as: store.me.id, interaction_id: dialog.interaction_id, custom_id: dialog.custom_id, fields });
  remember(answer?.interaction_id, { channelId: store.here, shown: dialog.title });
}

export async function dismiss(message) {
  if (!message.local) await post("dismiss", { as: store.me.id, message_id: message.id });
}

function remember(id, what) {
  if (!id) return;
  asked.set(id, what);
  if (asked.size > 200) asked.delete(asked.keys().next().value);
  const known = early.get(id);
  if (known) (known.done ? heard : failed)(known);
  early.delete(id);
}

function tooEarly(id, outcome) {
  early.set(id, outcome);
  // another tab of the same person also hears its outcomes here, and nobody will ask for those
  if (early.size > 50) early.delete(early.keys().next().value);
}

function failed({ interaction_id: id, message: text }) {
  const what = asked.get(id);
  if (!what) {
    tooEarly(id, { interaction_id: id, message: text });
    return;
  }
  asked.delete(id);
  if (what.message) {
    setBusy(what.message.id, what.customId, false);
    setFailure(what.message.id, text ? say("no_answer") : say("failed"));
  } else {
    putMessage(failureNote(what, text));
  }
}

/** A line only this tab has: the command that nobody answered. */
function failureNote({ channelId, shown }, text) {
  const last = messagesOf(channelId).at(-1)?.id ?? "0";
  return {
    local: true,
    failed: say("no_answer"),
    id: String(BigInt(last) + 1n),
    channel_id: channelId,
    author: store.bot,
    content: "",
    components: [],
    timestamp: new Date().toISOString(),
    flags: EPHEMERAL,
    interaction_metadata: { name: shown, user: store.me },
  };
}

/** The bot gave its first answer: the button stops waiting. */
function heard({ interaction_id: id }) {
  const what = asked.get(id);
  if (what?.message) setBusy(what.message.id, what.customId, false);
  if (!what) tooEarly(id, { interaction_id: id, done: true });
}

on("interaction_done", heard);
on("interaction_failed", failed);
on("message", ({ message, old }) => old && failureOf(message.id) && setFailure(message.id, null));

