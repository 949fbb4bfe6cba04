/* Times: `<t:unix:style>` marks, message times and day lines. Relative ones are kept true while the page is open. */
import { el } from "./dom.js";
import { language, locale, say } from "./words.js";

const format = (options) => new Intl.DateTimeFormat(locale, options);
const STYLES = {
  t: format({ timeStyle: "short" }),
  T: format({ timeStyle: "medium" }),
  d: format({ dateStyle: "short" }),
  D: format({ dateStyle: "long" }),
  f: format({ dateStyle: "long", timeStyle: "short" }),
  F: format({ dateStyle: "full", timeStyle: "short" }),
};
const RELATIVE = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** "in 5 minutes", "2 days ago": the largest unit that fits at least once. */
function relative(unix, now = Date.now() / 1000) {
  const seconds = Math.round(unix - now);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1);
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** The element for `<t:unix:style>`. */
export function stamp(unix, style = "f") {
  const date = new Date(unix * 1000);
  if (Number.isNaN(date.getTime())) return el("span", {}, say("unreadable_time"));
  const node = el("time", { class: "stamp", datetime: date.toISOString(), title: STYLES.F.format(date) });
  if (style === "R") {
    node.dataset.relative = unix;
    node.textContent = relative(unix);
  } else {
    node.textContent = (STYLES[style] ?? STYLES.f).format(date);
  }
  return node;
}

const day = (date) => date.toDateString();

export const dayLine = (iso) => STYLES.D.format(new Date(iso));
export const sameDay = (one, other) => day(new Date(one)) === day(new Date(other));
export const shortTime = (iso) => STYLES.t.format(new Date(iso));

/** The time beside an author: "Today at 10:42". */
export function messageTime(iso) {
  const date = new Date(iso);
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  let text = `${STYLES.d.format(date)} ${STYLES.t.format(date)}`;
  if (day(date) === day(new Date())) text = say("today_at", { time: STYLES.t.format(date) });
  else if (day(date) === day(yesterday)) text = say("yesterday_at", { time: STYLES.t.format(date) });
  return el("time", { class: "when", datetime: iso, title: STYLES.F.format(date) }, text);
}

/** Start the tick that rewrites relative times; only texts that changed touch the page. */
export function startClock() {
  setInterval(() => {
    for (const node of document.querySelectorAll("time[data-relative]")) {
      const text = relative(Number(node.dataset.relative));
      if (node.textContent !== text) node.textContent = text;
    }
  }, 1000);
}
