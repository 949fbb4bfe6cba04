/* The only file that talks to the server: requests under /local, the stream of events, and the key they need. */
import { language, say } from "./words.js";

/** The key of this playground, from the page's own address. It stays there: who copies the address can open it. */
export const key = new URLSearchParams(location.search).get("key") ?? "";

/** The server said no; `message` is a sentence for people. */
export class Refusal extends Error {}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { ...options?.headers, "X-Boneyard-Key": key, "Accept-Language": language } });
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

/** POST to /local/<what>; returns the answer, throws Refusal with the server's sentence. */
export const post = (what, body) =>
  ask(`/local/${what}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

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
