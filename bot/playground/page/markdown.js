/* Markdown of whole messages: code blocks, headings, small print, quotes and lists around `inline`. */
import { el } from "./dom.js";
import { inline } from "./inline.js";

const FENCE = /^```(?:([\w+-]*)\n)?([\s\S]*?)\n?```/;
const ITEM = /^( *)([-*]|\d{1,9}\.) +(.*)$/;

/** Text as Discord would show it, in a `<div class="markdown">`. */
export function markdown(text) {
  const node = el("div", { class: "markdown" }, blocks(text));
  // a reader who jumps from heading to heading must not miss a level: how large one is shown is another matter
  const heads = [...node.querySelectorAll("[role=heading]")];
  const sizes = [...new Set(heads.map((head) => head.ariaLevel))].sort();
  let level = 1;
  for (const head of heads) {
    level = Math.min(2 + sizes.indexOf(head.ariaLevel), level + 1);
    head.ariaLevel = String(level);
  }
  return node;
}

/** What the text says without its marks: for screen readers, titles and previews. */
export const plain = (text) => markdown(text).textContent;

function blocks(text) {
  const out = [];
  let lines = [];
  let rest = text;
  const flush = () => {
    if (lines.length) out.push(...grouped(lines));
    lines = [];
  };
  while (rest) {
    const fence = rest.startsWith("```") ? FENCE.exec(rest) : null;
    if (fence) {
      flush();
      out.push(el("pre", { tabindex: "0" }, el("code", { "data-language": fence[1] || null }, fence[2])));
      rest = rest.slice(fence[0].length).replace(/^\n/, "");
      continue;
    }
    const end = rest.indexOf("\n");
    let line = end < 0 ? rest : rest.slice(0, end);
    // a fence may also open in the middle of a line
    const inner = line.indexOf("```");
    if (inner > 0 && FENCE.test(rest.slice(inner))) {
      line = rest.slice(0, inner);
      lines.push(line);
      rest = rest.slice(inner);
      continue;
    }
    lines.push(line);
    rest = end < 0 ? "" : rest.slice(end + 1);
  }
  flush();
  return out;
}

/** Lines without code blocks, gathered into headings, quotes, lists and paragraphs. */
function grouped(lines) {
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,3}) +(.+)$/.exec(line);
    const small = /^-# +(.+)$/.exec(line);
    if (heading) {
      out.push(el("div", { class: `h h${heading[1].length}`, role: "heading", "aria-level": String(heading[1].length + 2) }, inline(heading[2])));
      at += 1;
    } else if (small) {
      out.push(el("div", { class: "small" }, inline(small[1])));
      at += 1;
    } else if (line.startsWith(">>> ")) {
      out.push(el("blockquote", {}, grouped([line.slice(4), ...lines.slice(at + 1)])));
      at = lines.length;
    } else if (/^> /.test(line) || line === ">") {
      const inner = [];
      while (at < lines.length && (/^> /.test(lines[at]) || lines[at] === ">")) inner.push(lines[at++].slice(2));
      out.push(el("blockquote", {}, grouped(inner)));
    } else if (ITEM.test(line)) {
      const items = [ITEM.exec(line)];
      at += 1;
      for (let next; (next = ITEM.exec(lines[at] ?? "")) && follows(next, items[0]); at += 1) items.push(next);
      out.push(list(items));
    } else {
      const inner = [];
      while (at < lines.length && isPlain(lines[at])) inner.push(lines[at++]);
      if (inner.some((one) => one.trim())) out.push(el("p", {}, inline(inner.join("\n"))));
      else out.push(el("div", { class: "gap" }));
    }
  }
  return out;
}

/** An item goes on with the list when it is deeper, or has the same kind of mark. */
const follows = (item, first) => item[1].length > first[1].length || /\d/.test(item[2]) === /\d/.test(first[2]);

const isPlain = (line) => !/^(#{1,3} +\S|-# +\S|>>> |> |>$)/.test(line) && !ITEM.test(line);

/** Items `[all, indent, mark, text]`; deeper ones become a list inside the item above them. */
function list(items) {
  const [, indent, mark] = items[0];
  const ordered = /\d/.test(mark);
  const node = el(ordered ? "ol" : "ul", { start: ordered ? String(parseInt(mark, 10)) : null });
  let at = 0;
  while (at < items.length) {
    const item = el("li", {}, inline(items[at][3]));
    at += 1;
    const deeper = [];
    while (at < items.length && items[at][1].length > indent.length) deeper.push(items[at++]);
    if (deeper.length) item.append(list(deeper));
    node.append(item);
  }
  return node;
}
