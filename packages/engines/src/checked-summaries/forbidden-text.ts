import { hasInvisible } from "../digest/plain-text.ts";

const link = /[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|\bmailto:|\bjavascript:|\bdata:[a-z]/i;
/** Mail and chat programs turn such words into links. */
const domain = /[\p{L}\p{N}-]\.(?=[\p{L}]{2,24}(?:[^\p{L}]|$))/u;
const markup = /!\[|\]\(|<\/?[a-z!]|```|&[a-z]{2,8};|&#/i;

/** Why the characters of a sentence exclude it from a summary. Undefined if they do not. */
export function findForbidden(text: string): string | undefined {
  if (hasInvisible(text)) return "It has characters that cannot be seen. Write plain text.";
  if (markup.test(text)) return "It has markup. Write plain text.";
  if (link.test(text) || domain.test(text)) return "It has a link or a domain. Leave it out.";
  return undefined;
}
