/* What a channel is called and which sign stands before it, in one place for every list, title and link. */
import { nameOf } from "./dom.js";
import { DIRECT, THREAD, store } from "./store.js";
import { say } from "./words.js";

/** The bare name; a direct talk is called after the bot. */
export const labelOf = (place) => (place?.type === DIRECT ? nameOf(store.bot) : (place?.name ?? say("another_channel")));

/** The name of its icon. */
export const signOf = (place) => ({ [THREAD]: "thread", [DIRECT]: "at" })[place?.type] ?? "hash";

/** The name with its sign, for texts without icons. */
export const titleOf = (place) => `${{ [THREAD]: "", [DIRECT]: "@" }[place?.type] ?? "#"}${labelOf(place)}`;

/** What a text channel is for, where somebody has said so; in the reader's language what it said from the start. */
export const topicOf = (place) => (place?.topic_key ? say(place.topic_key) : place?.topic);
