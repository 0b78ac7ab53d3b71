// Everything that is not seen, or that changes the direction of what is; the joiners inside of emoji and words stay.
const hidden = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
const link = /[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|\bmailto:|\bjavascript:|\bdata:[a-z]/i;
/** Mail programs and chats turn such words into links. */
const domain = /[\p{L}\p{N}-]\.(?=[\p{L}]{2,24}(?:[^\p{L}]|$))/u;
const markup = /!\[|\]\(|<\/?[a-z!]|```|&[a-z]{2,8};|&#/i;

/** Why a sentence may not be part of a summary, whatever it says. Undefined if it may. */
export function findForbidden(text: string): string | undefined {
  if (hidden.test(text)) return "It has characters that cannot be seen. Write plain text.";
  if (markup.test(text)) return "It has markup. Write plain text.";
  if (link.test(text) || domain.test(text)) return "It has a link or a domain. Leave it out.";
  return undefined;
}
