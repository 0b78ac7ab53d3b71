/** Schemes that open something when a mail or chat program makes a link of them. */
const schemes =
  /\b(?:https?|ftps?|file|javascript|vbscript|data|mailto|tel|sms|blob|about|intent|ws|wss|ssh|git|slack|tg):/;
const slashes = /\/\/|\\\\|^\s*\//;
/** A dot between a letter or digit and letters: evil.com, and by mistake also St.Gallen. */
const domain = /[\p{L}\p{N}\p{M}_-]\s?\.\s?[\p{L}\p{M}]{2}/u;
const spacedDomain = /[\p{L}\p{N}]\.[\p{L}\p{M}]{2}/u;
const numericAddress = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|::/;
const wordedDot =
  /[[({<]\s?(?:\.|dot|punkt|point|punto)\s?[\])}>]|\s(?:dot|punkt|point|punto)\s(?:com|net|org|info|biz|io|co|de|fr|es|uk|ru|cn|ai|app|dev|me|xyz|top|shop|site|link|online)\b/;
const mention = /@/;
const punycode = /\bxn--/;
const markup = /!\[|\]\(|<[\p{L}!/@#]|```|&#?[\p{L}\p{N}]{2,8};/u;

/** Characters that look like a dot, or that programs take for one. */
const dots = /[。．｡․﹒ꓸ·‧∙⋅]/gu;
const slashLike = /[／⁄∕⧸⫽]/gu;
const colonLike = /[：﹕∶ː꞉]/gu;

/** Whether a text holds an address or a domain in any form, a mention, or markup. */
export function hasAddress(text: string): boolean {
  const written = toAscii(text);
  return [written, decodePercent(written), decodePercent(decodePercent(written))].some(isAddress);
}

const toAscii = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, "")
    .replaceAll(dots, ".")
    .replaceAll(slashLike, "/")
    .replaceAll(colonLike, ":")
    .toLowerCase();

const isAddress = (text: string): boolean =>
  [schemes, slashes, spacedDomain, numericAddress, wordedDot, mention, punycode, markup].some((form) =>
    form.test(text),
  ) || isSpelledDomain(text);

/** "evil . com" and "evil .com", but not the end of a sentence: "It is up. It stays." has a space only behind. */
const isSpelledDomain = (text: string): boolean => /\s\.\s?[\p{L}\p{M}]{2}/u.test(text) && domain.test(text);

/** Decodes what it can: %2e and %2f. */
const decodePercent = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
