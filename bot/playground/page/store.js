/* What this tab knows: the server's world as one person sees it. Views read it and listen for changes with `on`. */
import { getMessages, getOpening, getState } from "./server.js";

export const TEXT = 0;
export const DIRECT = 1;
export const THREAD = 11;
export const EPHEMERAL = 64;
export const LOADING = 128;
export const V2 = 32768;

export const store = {
  guild: { id: "0", name: "" },
  channels: new Map(),
  people: [],
  bot: null,
  online: true, // whether the bot is connected
  start: null, // until then: how far its start is
  commands: [],
  welcome: null,
  opening: null, // what a newcomer is shown
  me: null, // user object
  here: null, // id of the open channel
  logs: new Map(), // channel id -> { byId: Map, complete: no older messages, loaded }
  unread: new Map(), // channel id -> { messages: ids not seen yet, in order; calls: those that mention this person }
  linked: true,
};

const listeners = new Map();
const gone = new Set(); // ids deleted while a page of messages was on its way
let statuses = 0; // how often the bot came or went

export function on(name, act) {
  if (!listeners.has(name)) listeners.set(name, []);
  listeners.get(name).push(act);
}

export function emit(name, detail = {}) {
  for (const act of listeners.get(name) ?? []) act(detail);
}

/** Snowflakes grow with time: compare by length first, they are too big for numbers. */
const byTime = (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

export const person = (id) => store.people.find((one) => one.id === id) ?? (store.bot?.id === id ? store.bot : null);
export const channel = (id) => store.channels.get(id) ?? null;
export const isMine = (message) => Boolean(message.flags & EPHEMERAL);

/** Messages of a channel in order; an empty list while they are on their way. */
export function messagesOf(id) {
  const log = store.logs.get(id);
  return log ? [...log.byId.values()].sort((a, b) => byTime(a.id, b.id)) : [];
}

export const findMessage = (channelId, id) => store.logs.get(channelId)?.byId.get(id) ?? null;

export async function loadState() {
  const known = statuses;
  const [state, opening] = await Promise.all([getState(store.me?.id), store.opening ?? getOpening()]);
  store.opening = opening;
  store.guild = state.guild;
  store.channels = new Map(state.channels.map((one) => [one.id, one]));
  store.people = state.people;
  store.bot = state.bot;
  // what was heard while this was on its way is newer
  if (known === statuses) [store.online, store.start] = [state.bot_online, state.bot_start];
  store.commands = state.commands;
  store.welcome = state.welcome;
  if (store.me) store.me = person(store.me.id) ?? store.me;
  emit("channels");
  emit("people");
  emit("commands");
  emit("bot");
}

/** Forget all messages: another person sees other ones, and after a lost line they may be old. */
export function forgetMessages() {
  store.logs.clear();
  gone.clear();
}

/** Read the newest messages of a channel, or older ones when `older`. Returns how many arrived. */
export async function loadMessages(id, older = false) {
  const as = store.me.id;
  if (!store.logs.has(id)) store.logs.set(id, { byId: new Map(), complete: false, loaded: false });
  const log = store.logs.get(id);
  const before = older ? messagesOf(id)[0]?.id : null;
  const page = await getMessages(id, as, before);
  if (store.me.id !== as || store.logs.get(id) !== log) return 0;
  // an event that arrived meanwhile is newer than this page
  for (const message of page) {
    if (!log.byId.has(message.id) && !gone.has(message.id)) log.byId.set(message.id, message);
  }
  if (page.length < 50) log.complete = true;
  log.loaded = true;
  emit(older ? "older" : "loaded", { channel: id });
  return page.length;
}

/** Add or replace one message, from the server or made here (`local: true`). */
export function putMessage(message) {
  const log = store.logs.get(message.channel_id);
  if (!log) return;
  const old = log.byId.get(message.id) ?? null;
  log.byId.set(message.id, message);
  emit("message", { message, old });
}

export function dropMessage(channelId, id) {
  gone.add(id);
  if (store.logs.get(channelId)?.byId.delete(id)) emit("gone", { channel: channelId, id });
}

/** Note a message nobody has looked at; `kind` is "messages", or "calls" when it mentions this person. */
function noteUnread(place, id, kind) {
  if (place === store.here && !document.hidden) return;
  const mark = store.unread.get(place) ?? { messages: new Set(), calls: new Set() };
  mark[kind].add(id);
  store.unread.set(place, mark);
  emit("channels");
}

/** A message that is gone calls nobody any more: a bot takes back its "your turn" when the turn is over. */
function dropUnread(place, id) {
  const mark = store.unread.get(place);
  if (!mark?.messages.delete(id)) return;
  mark.calls.delete(id);
  if (!mark.messages.size) store.unread.delete(place);
  emit("channels");
}

export function markRead(id) {
  if (store.unread.delete(id)) emit("channels");
}

/** Take in one event of the stream. */
export function receive(type, data) {
  switch (type) {
    case "message_create":
      putMessage(data);
      noteUnread(data.channel_id, data.id, "messages");
      break;
    case "message_update":
      if (store.logs.get(data.channel_id)?.byId.has(data.id) || data.flags & EPHEMERAL) putMessage(data);
      break;
    case "message_delete":
      dropMessage(data.channel_id, data.id);
      dropUnread(data.channel_id, data.id);
      emit("dropped", data);
      break;
    case "channel_create":
    case "channel_update":
      store.channels.set(data.id, { ...store.channels.get(data.id), ...data });
      emit("channels");
      break;
    case "channel_delete":
      store.channels.delete(data.id);
      emit("channels", { lost: data.id });
      break;
    case "people_update":
      store.people = data.people;
      emit("people");
      break;
    case "commands_update":
      store.commands = data.commands;
      emit("commands");
      break;
    case "bot_status":
      statuses += 1;
      store.online = data.online;
      emit("bot");
      break;
    case "bot_start":
      statuses += 1;
      store.start = data;
      emit("bot");
      break;
    case "mention":
      noteUnread(data.channel_id, data.message_id, "calls");
      emit("mention", data);
      break;
    case "interaction_done":
    case "interaction_failed":
    case "modal":
      emit(type, data);
      break;
  }
}

/** The channel to open when the address names none. */
export const nicePlace = () =>
  channel(store.welcome?.channel_id)?.id ?? [...store.channels.values()].find((one) => one.type === TEXT)?.id ?? null;
