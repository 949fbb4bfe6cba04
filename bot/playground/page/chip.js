/* One option of a command in the message box: its name, an input, and the list that helps to fill it. */
import { el } from "./dom.js";
import { fixedChoices, limits, read } from "./options.js";
import * as popup from "./popup.js";
import { post } from "./server.js";
import { say } from "./words.js";

const PAUSE = 120; // ms without a key before the bot is asked for suggestions

/**
 * `box` is the composer: it gives `request(name)` for autocompletion and takes `typed(chip)`, `next(chip)`,
 * `key(chip, event)` when something happens here.
 */
export class Chip {
  constructor(option, box) {
    this.option = option;
    this.box = box;
    this.picked = null; // {label, value} chosen from a list, while the text stays as it was
    this.asked = 0;
    this.timer = null;
    this.input = el("input", {
      type: "text",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "next",
      "aria-label": `${option.name}${option.required ? "" : ` (${say("optional")})`}: ${option.description ?? ""}`,
      "data-testid": `option-${option.name}`,
      inputmode: [4, 10].includes(option.type) && !option.autocomplete ? "decimal" : null,
      on: {
        input: () => this.changed(),
        focus: () => this.suggest(),
        blur: () => this.left(),
        keydown: (event) => box.key(this, event),
      },
    });
    popup.asCombobox(this.input);
    const remove = el("button", { type: "button", class: "chip-remove", tabindex: "-1", "aria-label": say("remove_option", { name: option.name }), on: { click: () => box.remove(this) } }, "×");
    this.node = el(
      "span",
      { class: `chip${option.required ? " required" : ""}`, on: { click: () => this.input.focus() } },
      el("span", { class: "chip-name" }, option.name),
      this.input,
      option.required ? null : remove,
    );
    this.fit();
  }

  get text() {
    return this.input.value.trim();
  }

  get empty() {
    return this.text === "";
  }

  /** `{value}` or `{error}`. */
  result() {
    if (this.picked) return { value: this.picked.value };
    return read(this.option, this.input.value);
  }

  set(text) {
    this.input.value = text;
    this.picked = null;
    this.fit();
  }

  focus() {
    this.input.focus();
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }

  /** Wide enough for its text: an input does not grow by itself everywhere. */
  fit() {
    this.input.style.width = `${Math.max(3, this.input.value.length + 1)}ch`;
    this.node.classList.toggle("filled", !this.empty);
  }

  blame(wrong) {
    this.node.classList.toggle("wrong", wrong);
    if (wrong) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  changed() {
    this.picked = null;
    this.blame(false);
    this.fit();
    if (!this.box.typed(this)) this.suggest();
  }

  left() {
    clearTimeout(this.timer);
    this.asked += 1;
    popup.hide();
  }

  pick(item) {
    this.picked = item;
    this.input.value = item.label;
    this.blame(false);
    this.fit();
    this.box.next(this);
  }

  title() {
    const bound = limits(this.option);
    return [el("strong", {}, this.option.name), this.option.description ? ` · ${this.option.description}` : "", bound ? ` (${bound})` : "", this.option.required ? "" : ` · ${say("optional")}`];
  }

  offer(list, empty) {
    const items = list.map((item) => ({ ...item, pick: () => this.pick(item) }));
    popup.show(this.input, { title: this.title(), list: items, first: this.picked ? -1 : 0, empty });
  }

  /** Show what fits here: the fixed choices at once, the bot's own after a short pause. */
  suggest() {
    const fixed = fixedChoices(this.option);
    if (fixed) {
      const query = this.picked ? "" : this.text.toLowerCase().replace(/^[@#]/, "");
      this.offer(fixed.filter((one) => one.label.toLowerCase().replace(/^#/, "").includes(query)), say("no_choice_fits"));
    } else if (this.option.autocomplete) {
      if (!popup.isOpen()) this.offer([], say("looking"));
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(), this.empty ? 0 : PAUSE);
    } else {
      this.offer([], "");
    }
  }

  async ask() {
    const turn = (this.asked += 1);
    let list = [];
    let empty = say("no_suggestions");
    try {
      const { choices } = await post("autocomplete", this.box.request(this));
      list = choices.map((one) => ({ label: one.name, value: one.value }));
    } catch (refusal) {
      empty = refusal.message;
    }
    // an answer to an older question, or to an input that was left, is not shown
    if (turn === this.asked && document.activeElement === this.input) this.offer(list, empty);
  }
}
