// Everything that is not seen, or that turns around what is; the joiners inside of emoji and words stay.
const unseen = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/** Somebody's text on one line, with what cannot be seen taken out, no longer than this. */
export function plainText(text: string, maxLength: number): string {
  // Far more than is ever shown, so that a huge text costs nothing.
  const line = text
    .slice(0, 10 * maxLength)
    .replaceAll(unseen, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= maxLength) return line;
  let kept = "";
  for (const character of line) {
    if (kept.length + character.length > maxLength - 1) break;
    kept += character;
  }
  // Half a number would be a wrong one.
  if (/[\p{Nd}.,]/u.test(line.charAt(kept.length))) kept = kept.replace(/(?<![\p{Nd}.,])[\p{Nd}.,]+$/u, "");
  return `${kept.trimEnd()}…`;
}

/** In quotes that end where the text does. */
export const quote = (text: string, maxLength: number): string =>
  `"${plainText(text, maxLength).replaceAll('"', "'")}"`;

/** A column's name, as it is where it is a word. */
export const columnName = (name: string): string => (/^[\p{L}_]{1,30}$/u.test(name) ? name : quote(name, 30));
