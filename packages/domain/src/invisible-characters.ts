// Controls, characters that change the direction of text, and those that are never drawn. Tags, variation selectors and
// fillers can carry a whole text that only a model reads. A selector after an emoji is kept: it chooses its picture.
const invisible =
  /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\d#*])[\ufe0e\ufe0f]/gu;

// A joiner is kept inside an emoji, and inside a word of a script that needs it: one between two characters.
const idleJoiner =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])|(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])[\u200c\u200d]/gu;

/** Replaces invisible characters with spaces: they could carry text that nobody sees. */
export const replaceInvisible = (text: string): string =>
  text.replaceAll(invisible, " ").replaceAll(idleJoiner, " ");

export const hasInvisible = (text: string): boolean => replaceInvisible(text) !== text;

/** The same for text whose line breaks mean something. */
export const replaceInvisibleInLines = (text: string): string =>
  text.split("\n").map(replaceInvisible).join("\n");

/** The same for all texts and names in a JSON value. */
export function replaceInvisibleInJson(value: unknown): unknown {
  if (typeof value === "string") return replaceInvisibleInLines(value);
  if (Array.isArray(value)) return value.map(replaceInvisibleInJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      replaceInvisibleInLines(name),
      replaceInvisibleInJson(inner),
    ]),
  );
}
