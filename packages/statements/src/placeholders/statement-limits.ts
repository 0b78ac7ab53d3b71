import { AppError } from "@querybell/domain/app-error";

/**
 * Limits of one statement. It is parsed and compiled on the event loop of the api, and each of these limits keeps that
 * to some ten milliseconds. They are checked while the statement is built, so that a long value that is used a
 * thousand times is refused before it is copied a thousand times.
 */
export const maxTokens = 50_000;
/** Distinct names. A reference cannot define more either. */
const maxPlaceholderNames = 100;
const maxPlaceholderUses = 1000;
/** Values that the driver binds. A list counts with each item each time it is used. */
const maxBoundValues = 20_000;
/** Characters of all bound values together, each counted as often as it is used. */
const maxBoundCharacters = 500_000;
/** Characters of `renderedSql`. */
const maxRenderedCharacters = 1_000_000;

export function checkPlaceholderCount({ uses, names }: { uses: number; names: number }): void {
  if (names <= maxPlaceholderNames && uses <= maxPlaceholderUses) return;
  throw new AppError(
    "statement_too_large",
    `The SQL has ${uses} placeholders with ${names} different names; at most ${maxPlaceholderUses} with ${maxPlaceholderNames} names are possible. Pass several values as one list, or name a value once in a WITH clause.`,
  );
}

/** Adds up the size of a statement while it is compiled, and refuses it as soon as it is too large. */
export class StatementSize {
  #values = 0;
  #boundCharacters = 0;
  #renderedCharacters = 0;

  addValues(values: readonly { text: string }[]): void {
    this.#values += values.length;
    if (this.#values > maxBoundValues) {
      refuse(
        `With these values the statement has more than ${maxBoundValues} bound values; a list counts with each item each time it is used.`,
      );
    }
    for (const { text } of values) this.#boundCharacters += text.length;
    if (this.#boundCharacters > maxBoundCharacters) {
      refuse(
        `The values in the statement have more than ${maxBoundCharacters} characters together; a value counts each time it is used.`,
      );
    }
  }

  addRendered(characters: number): void {
    this.#renderedCharacters += characters;
    if (this.#renderedCharacters <= maxRenderedCharacters) return;
    refuse(`With its values the statement has more than ${maxRenderedCharacters} characters.`);
  }
}

function refuse(sentence: string): never {
  throw new AppError("statement_too_large", `${sentence} Send shorter values, or use them less often.`);
}
