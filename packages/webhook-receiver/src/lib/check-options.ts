/** A rule for an option. `must` follows the option's name in the error message. */
export interface Rule {
  must: string;
  holds(value: unknown): boolean;
}

export const aFunction: Rule = { must: "be a function", holds: (value) => typeof value === "function" };
export const aBoolean: Rule = { must: "be true or false", holds: (value) => typeof value === "boolean" };
export const aString: Rule = { must: "be a string", holds: (value) => typeof value === "string" };
export const aNumberFrom0: Rule = {
  must: "be a number from 0 up",
  holds: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
};
/** For options that are checked elsewhere. */
export const anything: Rule = { must: "", holds: () => true };

/** An object with these functions. */
export const anObjectWith = (...names: string[]): Rule => ({
  must: `be an object with the functions ${names.join(", ")}`,
  holds: (value) => names.every((name) => typeof Object(value)[name] === "function"),
});

/**
 * Refuses misspelled options and options of the wrong type when the program starts. A program without types
 * would otherwise fail at the first delivery, or never. `undefined` counts as absent.
 */
export function checkOptions(place: string, options: unknown, rules: Readonly<Record<string, Rule>>): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`The options of ${place} must be an object.`);
  }
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) {
      throw new TypeError(`${place} has no option ${name}. Its options: ${Object.keys(rules).join(", ")}.`);
    }
    if (value !== undefined && !rule.holds(value)) throw new RangeError(`${name} must ${rule.must}.`);
  }
}
