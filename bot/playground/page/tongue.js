/* The menu of languages: the browser's own unless somebody chooses. */
import { byId, el } from "./dom.js";
import { choose, chosen, fromBrowser, languages, say } from "./words.js";

export function startTongue() {
  const own = fromBrowser.map((one) => one.split("-")[0]).find((code) => code in languages) ?? "en";
  const entry = (code, name) => el("option", { value: code, lang: code || null, selected: (chosen ?? "") === code }, name);
  const menu = el(
    "select",
    { id: "language", "data-testid": "language", on: { change: () => choose(menu.value || null) } },
    entry("", say("language_browser", { name: languages[own] })),
    Object.entries(languages).map(([code, name]) => entry(code, name)),
  );
  byId("tongue").append(el("label", { for: "language" }, say("language")), menu);
}
