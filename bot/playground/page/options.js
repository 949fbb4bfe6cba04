/* The kinds of options of a command: what may be chosen for each, and reading what was typed. */
import { nameOf } from "./dom.js";
import { store } from "./store.js";
import { language, locale, say } from "./words.js";

const INTEGER = 4;
const BOOLEAN = 5;
const USER = 6;
const CHANNEL = 7;
const MENTIONABLE = 9;
const NUMBER = 10;

const YES = { true: true, yes: true, false: false, no: false };

/** Fixed things to choose from, `{label, value, face?}`; null when the option is typed freely or asked from the bot. */
export function fixedChoices(option) {
  if (option.choices?.length) return option.choices.map((one) => ({ label: one.name_localizations?.[locale] ?? one.name_localizations?.[language] ?? one.name, value: one.value }));
  if (option.type === BOOLEAN) return [{ label: "true", value: true }, { label: "false", value: false }];
  if ([USER, MENTIONABLE].includes(option.type)) {
    return [...store.people, store.bot].filter(Boolean).map((one) => ({ label: nameOf(one), value: one.id, face: one }));
  }
  if (option.type === CHANNEL) {
    return [...store.channels.values()].map((one) => ({ label: `#${one.name}`, value: one.id }));
  }
  return null;
}

/** "1 to 6", "at most 32 characters": what a free value may be. */
export function limits(option) {
  const { min_value: min, max_value: max, min_length: short, max_length: long } = option;
  if (min !== undefined && max !== undefined) return say("range", { least: min, most: max });
  if (min !== undefined) return say("range_least", { least: min });
  if (max !== undefined) return say("range_most", { most: max });
  if (short) return long ? say("characters", { least: short, most: long }) : say("characters_least", { least: short });
  return [INTEGER, NUMBER].includes(option.type) ? say("a_number") : "";
}

function readNumber(option, text) {
  const value = Number(text.replace(",", "."));
  const whole = option.type === INTEGER;
  if (text === "" || Number.isNaN(value) || (whole && !Number.isInteger(value))) {
    return { error: say(whole ? "must_be_whole" : "must_be_number", { name: option.name, text }) };
  }
  const { min_value: min, max_value: max } = option;
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    return { error: say("must_be", { name: option.name, limits: limits(option), text }) };
  }
  return { value };
}

/** `{value}` for what was typed, or `{error}` as a sentence. */
export function read(option, typed) {
  const text = typed.trim();
  const fixed = fixedChoices(option);
  if (fixed) {
    const wanted = text.toLowerCase();
    if (option.type === BOOLEAN && wanted in YES) return { value: YES[wanted] };
    const bare = wanted.replace(/^<[@#]!?(\d+)>$/, "$1").replace(/^[@#]/, "");
    const hit = fixed.find((one) => [wanted, bare].includes(one.label.toLowerCase().replace(/^#/, "")) || [wanted, bare].includes(String(one.value).toLowerCase()));
    if (hit) return { value: hit.value };
    const some = fixed.slice(0, 6).map((one) => one.label).join(", ");
    return { error: say("none_of", { text, name: option.name, choices: `${some}${fixed.length > 6 ? ", ..." : ""}` }) };
  }
  if ([INTEGER, NUMBER].includes(option.type)) return readNumber(option, text);
  if (option.min_length && text.length < option.min_length) return { error: say("needs", { name: option.name, limits: limits(option) }) };
  if (option.max_length && text.length > option.max_length) return { error: say("too_long", { name: option.name, most: option.max_length }) };
  return { value: text };
}
