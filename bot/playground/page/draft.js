/* The command being filled in: which one, its chips, and reading all of it at the end. Knows no keys and no lists. */
import { Chip } from "./chip.js";
import { split } from "./commands.js";
import { store } from "./store.js";
import { say } from "./words.js";

export class Draft {
  /** `box` is what the chips report to. The required options have a chip from the start. */
  constructor(leaf, box) {
    this.leaf = leaf;
    this.box = box;
    this.chips = leaf.options.filter((option) => option.required).map((option) => new Chip(option, box));
  }

  /** Options without a chip. */
  get spare() {
    return this.leaf.options.filter((option) => !this.chips.some((chip) => chip.option === option));
  }

  get missing() {
    return this.chips.find((chip) => chip.option.required && chip.empty) ?? null;
  }

  /** The chip of an option, made when it has none yet. */
  chip(option) {
    let chip = this.chips.find((one) => one.option === option);
    if (!chip) {
      chip = new Chip(option, this.box);
      this.chips.push(chip);
    }
    return chip;
  }

  /** The chip `step` places after this one, or null. */
  beside(chip, step) {
    return this.chips[this.chips.indexOf(chip) + step] ?? null;
  }

  /** Where to go on after this chip: the next empty one, else a required one that was skipped. */
  after(chip) {
    return this.chips.slice(this.chips.indexOf(chip) + 1).find((one) => one.empty) ?? this.missing;
  }

  remove(chip) {
    this.chips = this.chips.filter((one) => one !== chip);
  }

  /**
   * Spread "3-3-4 place:G" over the chips; what stands before the first name goes to `lead`. Returns
   * `{focus, left}`: the chip to go on with, and text that belongs to none.
   */
  spread(text, lead = this.chips.find((chip) => chip.empty)) {
    const { lead: start, values } = split(this.leaf.options, text);
    let focus = null;
    if (lead && start) {
      lead.set(start);
      focus = lead;
    }
    for (const [name, value] of values) {
      focus = this.chip(this.leaf.options.find((option) => option.name === name));
      focus.set(value);
    }
    return { focus, left: lead ? "" : start };
  }

  /** The body of the request that asks the bot to complete `focused`. */
  question(focused) {
    const options = {};
    for (const chip of this.chips) {
      const { value, error } = chip.result();
      if (chip === focused) options[chip.option.name] = chip.text;
      else if (!chip.empty && !error) options[chip.option.name] = value;
    }
    const { command, path } = this.leaf;
    return { as: store.me.id, channel_id: store.here, command, path, options, focused: focused.option.name };
  }

  /** `{options, line}` when everything can be sent, with the line to bring it back; else `{chip, error}`. */
  collect() {
    const options = {};
    const line = [`/${this.leaf.name}`];
    for (const chip of this.chips) {
      const { name, description, required, autocomplete } = chip.option;
      if (chip.empty && !required) continue;
      const { value, error } = chip.empty ? { error: say("option_needed", { name, about: description ?? "" }) } : chip.result();
      if (error) return { chip, error };
      options[name] = value;
      line.push(`${name}:${autocomplete ? value : chip.text}`);
    }
    return { options, line: line.join(" ") };
  }
}
