import type { FilterValues } from "@querybell/domain";
import { z } from "zod";

/** The parameters that visitors of a page choose, with the values that are published. */
export const StoredChoices = z.array(z.object({ name: z.string(), values: z.array(z.string()).min(1) }));
export type StoredChoices = z.infer<typeof StoredChoices>;

/** What a visitor chose, or a page has: an empty text is no value. */
type ChosenTexts = Readonly<Record<string, string>>;

/** The texts of each page, by its number: all combinations, the first values first. Without choices there is one page. */
export const textsOfPages = (choices: StoredChoices): ChosenTexts[] =>
  choices.reduce<ChosenTexts[]>(
    (pages, { name, values }) =>
      pages.flatMap((texts) => values.map((value) => ({ ...texts, [name]: value }))),
    [{}],
  );

/** The name of a parameter in the address of a page. The prefix keeps it apart from `tab` and `theme`. */
export const fieldOf = (name: string): string => `f.${name}`;

/** How long the address of a page is, its token and tab aside. */
export const lengthOfAddress = (texts: ChosenTexts): number =>
  String(
    new URLSearchParams(
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [fieldOf(name), text])),
    ),
  ).length;

/** With these values, the results of a page are computed. What has no value takes its default. */
export const toFilterValues = (texts: ChosenTexts): FilterValues =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));

/**
 * The number of the page for what a visitor chose, as names with texts. What they did not choose has its first value.
 * Undefined if it is not published: nothing that a visitor sends becomes anything but such a number.
 */
export function findPageNumber(
  choices: StoredChoices,
  chosen: readonly (readonly [name: string, text: string])[],
): number | undefined {
  const texts = new Map(chosen);
  if (texts.size < chosen.length) return undefined;
  let number = 0;
  for (const { name, values } of choices) {
    const text = texts.get(name);
    const at = text === undefined ? 0 : values.indexOf(text);
    if (at === -1) return undefined;
    number = number * values.length + at;
    texts.delete(name);
  }
  return texts.size === 0 ? number : undefined;
}
