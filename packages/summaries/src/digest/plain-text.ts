// Invisible characters and those that change the direction of text, except the joiners inside emoji and words.
const invisible = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/** Replaces invisible characters with spaces: they could carry text that nobody sees. */
export const replaceInvisible = (text: string): string => text.replaceAll(invisible, " ");

export const hasInvisible = (text: string): boolean => text.search(invisible) !== -1;

/** Text of a user on one line, without invisible characters, of at most this length. */
export function plainText(text: string, maxLength: number): string {
  // Shortened first, so that a huge text takes no time.
  const line = replaceInvisible(text.slice(0, 10 * maxLength))
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
