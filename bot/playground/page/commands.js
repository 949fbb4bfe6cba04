/* The bot's commands as a person types them: the list of them, finding one, and reading a whole typed line. */

import { language, locale } from "./words.js";

const CHAT_INPUT = 1;
const SUB_COMMAND = 1;
const SUB_GROUP = 2;

/** What stands with a command or an option, in the reader's language where the bot says it so. */
const told = (node) => node.description_localizations?.[locale] ?? node.description_localizations?.[language] ?? node.description ?? "";

/** Every command that can be sent: `{name: "tiles new", command: "tiles", path: ["new"], description, options}`. */
export function leaves(commands) {
  const out = [];
  const walk = (node, command, path) => {
    const inner = (node.options ?? []).filter((option) => [SUB_COMMAND, SUB_GROUP].includes(option.type));
    if (!inner.length) {
      // the required ones come first, as the bot has to register them
      const options = (node.options ?? []).map((option) => ({ ...option, description: told(option) })).sort((a, b) => Number(Boolean(b.required)) - Number(Boolean(a.required)));
      out.push({ name: [command, ...path].join(" "), command, path, description: told(node), options });
    }
    for (const option of inner) walk(option, command, [...path, option.name]);
  };
  for (const command of commands) if ((command.type ?? CHAT_INPUT) === CHAT_INPUT) walk(command, command.name, []);
  return out;
}

/** Commands for what was typed after the slash, best first: the start of the name, of a word, then the description; short ones first. */
export function search(all, typed) {
  const query = typed.trim().toLowerCase().replace(/\s+/g, " ");
  const rank = (leaf) => {
    if (leaf.name.startsWith(query)) return 0;
    if (leaf.name.split(" ").some((word) => word.startsWith(query))) return 1;
    if (leaf.name.includes(query)) return 2;
    if (query.length > 2 && leaf.description.toLowerCase().includes(query)) return 3;
    return -1;
  };
  return all
    .map((leaf) => ({ leaf, rank: rank(leaf) }))
    .filter((one) => one.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.leaf.path.length - b.leaf.path.length)
    .map((one) => one.leaf);
}

/** The command a line starts with and what follows it; null when it names none. `/tiles play` needs its space to count. */
export function leading(all, line) {
  const text = line.replace(/^\s*\//, "").replace(/^\s+/, "");
  const hits = all.filter((leaf) => text.toLowerCase() === leaf.name || text.toLowerCase().startsWith(`${leaf.name} `));
  if (!hits.length) return null;
  const leaf = hits.reduce((best, one) => (one.name.length > best.name.length ? one : best));
  return { leaf, rest: text.slice(leaf.name.length + 1), whole: text.length === leaf.name.length };
}

/** Cut "3-3 place:G" at the names of options: `{lead: "3-3", values: [["place", "G"]]}`. */
export function split(options, text) {
  const names = options.map((option) => option.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!names.length) return { lead: text, values: [] };
  const cut = new RegExp(`(^|\\s)(${names.join("|")}):`, "gi");
  const hits = [...text.matchAll(cut)];
  if (!hits.length) return { lead: text, values: [] };
  const values = hits.map((hit, at) => {
    const from = hit.index + hit[0].length;
    return [hit[2].toLowerCase(), text.slice(from, hits[at + 1]?.index ?? text.length).trim()];
  });
  return { lead: text.slice(0, hits[0].index).trim(), values };
}
