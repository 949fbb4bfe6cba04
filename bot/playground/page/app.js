/* Starts the page: who and where from the address, the line to the server, and moving between people and channels. */
import { startClock } from "./clock.js";
import { startComposer } from "./composer.js";
import "./dialog.js";
import { byId, icon } from "./dom.js";
import { closeDrawers, startDrawers } from "./drawers.js";
import { clear, showMessage } from "./log.js";
import { notice } from "./notices.js";
import { startPeople } from "./people.js";
import { labelOf, signOf, titleOf, topicOf } from "./places.js";
import { key, listen, post } from "./server.js";
import "./sidebar.js";
import { THREAD, channel, emit, forgetMessages, loadMessages, loadState, markRead, nicePlace, on, person, receive, store } from "./store.js";
import { startTongue } from "./tongue.js";
import { fillIn, say, told } from "./words.js";

let hangUp = () => {}; // ends the line to the server

function writeAddress(push) {
  const query = new URLSearchParams({ key, as: store.me.id, channel: store.here });
  const url = `${location.pathname}?${query}`;
  if (url === location.pathname + location.search) return;
  history[push ? "pushState" : "replaceState"](null, "", url);
}

/** Open a channel and read its newest messages. */
async function enter(id, push = true) {
  const place = channel(id);
  if (!place) return;
  const [first = null] = store.unread.get(id)?.messages ?? [];
  store.here = id;
  clear(first);
  markRead(id);
  byId("channel-name").replaceChildren(icon(signOf(place)), labelOf(place));
  byId("channel-topic").textContent = topicOf(place) ?? (place.type === THREAD ? say("in_channel", { name: titleOf(channel(place.parent_id)) }) : "");
  writeAddress(push);
  emit("channels");
  emit("here");
  try {
    if (store.logs.get(id)?.loaded) emit("loaded", { channel: id });
    else await loadMessages(id);
  } catch (refusal) {
    notice(refusal.message, true);
  }
}

/** Go to a channel, and to a message in it. */
async function go({ channel: id, message }) {
  closeDrawers();
  if (!channel(id)) {
    notice(say("channel_gone"), true);
    return;
  }
  if (id !== store.here) await enter(id);
  if (message && !(await showMessage(message))) notice(say("message_gone"), true);
}

/** Become somebody: a new line to the server and everything read again with their eyes. */
async function be(user) {
  closeDrawers();
  hangUp();
  store.me = user;
  store.unread.clear();
  sessionStorage.setItem("as", user.id);
  forgetMessages();
  hangUp = listen(user.id, receive, linked);
  try {
    await post("language", { as: user.id, language: told });
    // each person has their own direct messages
    await loadState();
  } catch (refusal) {
    notice(refusal.message, true);
  }
  emit("me");
  await enter(channel(store.here) ? store.here : nicePlace(), false);
}

let words = 0; // how often the line was heard of

/** The line to the server went up or down. What happened meanwhile is read before the page says that all is well. */
async function linked(up, again) {
  const mine = ++words;
  if (up && again) {
    notice("");
    try {
      await loadState();
      forgetMessages();
      await loadMessages(store.here);
    } catch (refusal) {
      notice(refusal.message, true);
    }
    if (mine !== words) return;
  }
  if (store.linked === up) return;
  store.linked = up;
  emit("linked");
}

function fromAddress() {
  const query = new URLSearchParams(location.search);
  return { as: query.get("as"), place: query.get("channel") };
}

async function start() {
  fillIn();
  startClock();
  startTongue();
  startDrawers();
  startPeople();
  startComposer();
  on("jump", go);
  on("be", ({ user }) => user.id !== store.me.id && be(user));
  // a thread that was archived or deleted while it was open
  on("channels", ({ lost }) => lost && lost === store.here && enter(nicePlace()));
  addEventListener("popstate", () => {
    const { as, place } = fromAddress();
    const user = person(as);
    if (user && user.id !== store.me.id) be(user);
    else if (channel(place)) enter(place, false);
  });
  const { as, place } = fromAddress();
  for (;;) {
    try {
      if (as) store.me = { id: as };
      await loadState();
      break;
    } catch (refusal) {
      notice(refusal.message, true);
      await new Promise((done) => setTimeout(done, 1500));
    }
  }
  notice("");
  store.here = channel(place) ? place : nicePlace();
  const people = store.people;
  const user = people.find((one) => one.id === as) ?? people.find((one) => one.id === sessionStorage.getItem("as")) ?? people[0];
  if (as && !people.some((one) => one.id === as)) notice(say("nobody_of_number"));
  await be(user);
  if (matchMedia("(pointer: fine)").matches) byId("composer").focus();
}

start();
