/* The only file that talks to the server: requests under /local, the stream of events, and the key they need. */
import { language, say } from "./words.js";

/** The key of this playground, from the page's own address. It stays there: who copies the address can open it. */
export const key = new URLSearchParams(location.search).get("key") ?? "";

/** The server said no; `message` is a sentence for people. */
export class Refusal extends Error {}

const PAUSES = [150, 600]; // milliseconds before something is asked once more

/** Fetch, again where nothing came back: a network that changes cuts off all that is under way, also to this machine. */
async function reach(path, options) {
  for (const pause of PAUSES) {
    try {
      return await fetch(path, options);
    } catch {
      await new Promise((done) => setTimeout(done, pause));
    }
  }
  return fetch(path, options);
}

async function ask(path, options) {
  const headers = { ...options?.headers, "X-Boneyard-Key": key, "Accept-Language": language };
  let answer;
  try {
    answer = await reach(path, { ...options, headers });
  } catch {
    throw new Refusal(say("server_silent"));
  }
  const text = await answer.text();
  let body = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    body = { message: text };
  }
  if (!answer.ok) throw new Refusal(body?.message || say("server_refused", { status: answer.status }));
  return body;
}

/** What a newcomer is shown, in the page's language; null where there is nothing. */
export const getOpening = () => ask(`/local/opening?${new URLSearchParams({ language })}`);

export const getState = (as) => ask(`/local/state${as ? `?as=${encodeURIComponent(as)}` : ""}`);

/** Up to `limit` messages of a channel as `as` sees them, oldest first. */
export async function getMessages(channel, as, before = null, limit = 50) {
  const query = new URLSearchParams({ as, limit });
  if (before) query.set("before", before);
  return (await ask(`/local/channels/${channel}/messages?${query}`)).messages;
}

/** POST to /local/<what>, done once however often it is sent; returns the answer, throws Refusal with the server's sentence. */
export function post(what, body) {
  const headers = { "Content-Type": "application/json", "X-Boneyard-Once": crypto.randomUUID() };
  return ask(`/local/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/**
 * Listen as one person. `receive(type, data)` gets every event; `linked(up, again)` is told when the line goes up or
 * down, with `again` true when it came back (what happened in between must then be read anew). Returns a stop function.
 */
export function listen(as, receive, linked) {
  let source = null;
  let retry = null;
  let seen = false;
  let stopped = false;

  function open() {
    source = new EventSource(`/local/events?${new URLSearchParams({ as, key })}`);
    source.onopen = () => {
      linked(true, seen);
      seen = true;
    };
    source.onmessage = (event) => {
      const { type, data } = JSON.parse(event.data);
      receive(type, data);
    };
    source.onerror = () => {
      if (stopped) return;
      linked(false, seen);
      // browsers retry a dropped line by themselves, but give up when the server answered with an error
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(retry);
        retry = setTimeout(open, 1500);
      }
    };
  }
  open();
  return () => {
    stopped = true;
    clearTimeout(retry);
    source.close();
  };
}
