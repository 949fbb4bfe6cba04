/* The page's own words, in the language that was chosen here, or the first of the browser's that there is. */

const CHOSEN = "language";
/** The languages of the browser, the liked best first. */
export const fromBrowser = navigator.languages?.length ? navigator.languages : [navigator.language || "en"];

/** What was chosen in the menu of languages; null where the browser decides. */
export const chosen = localStorage.getItem(CHOSEN);

async function read() {
  for (;;) {
    try {
      const of = [chosen, ...fromBrowser].filter(Boolean).join(",");
      return await (await fetch(`/page/words.json?${new URLSearchParams({ of })}`)).json();
    } catch {
      // the server is just starting, or starting again
      await new Promise((done) => setTimeout(done, 1500));
    }
  }
}

const { language: spoken, texts, languages: names } = await read();

/** The language of the page, such as `de`, and the names of all there are, by their codes. */
export const language = spoken;
export const languages = names;

/** How this language writes times and numbers: with the browser's own habits where it speaks it. */
export const locale = fromBrowser.find((one) => one.split("-")[0] === spoken) ?? spoken;

/** What the bot is told: the chosen language, else the browser's own, whether or not the page speaks it. */
export const told = chosen ? locale : fromBrowser[0];

const plural = new Intl.PluralRules(spoken);
const form = (key, facts) => {
  const text = texts[key];
  if (text === undefined) throw new Error(`the page has no words called ${key}`);
  return typeof text === "string" ? text : text[plural.select(facts.n)];
};

/** The sentence with its facts filled in: `say("joined", { name })`. In one that counts, the fact `n` chooses the form. */
export const say = (key, facts = {}) => form(key, facts).replace(/\{(\w+)\}/g, (_, fact) => String(facts[fact]));

/** The same as a list of texts and nodes, where a fact is a node. */
export const sayWith = (key, facts) => form(key, facts).split(/\{(\w+)\}/).map((part, at) => (at % 2 ? facts[part] : part));

/** Speak another language from now on, or null for the browser's. */
export function choose(code) {
  if (code) localStorage.setItem(CHOSEN, code);
  else localStorage.removeItem(CHOSEN);
  location.reload();
}

/** Fill in what stands in the page from the start: `data-say` is a text, `data-say-label` a name for screen readers. */
export function fillIn(root = document) {
  document.documentElement.lang = spoken;
  for (const node of root.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of root.querySelectorAll("[data-say-label]")) node.setAttribute("aria-label", say(node.dataset.sayLabel));
}
