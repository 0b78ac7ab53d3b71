import { hasInvisible, replaceInvisible } from "@querybell/domain";
import { refuse } from "./slot.ts";

const maxLength = 60;
/** Marks that end the quotation around a name, or seem to. */
const quotationMarks = /["“”„‟«»‹›″＂〝〞〟❝❞\\]/gu;
const joiner = /[\u200c\u200d]/u;
const beside = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}][\u200c\u200d]/u;
const manyMarks = /\p{M}{3}/u;
const oddSpaces = /(?![ \u00a0])\p{Zs}|[\u2800\u3164\u115f\u1160\uffa0]/u;

/** Why a text of the data is not published. Undefined if it can be. */
export function problemOfName(text: string): string | undefined {
  if (text.trim() === "") return "It is empty.";
  if (text.length > maxLength) return `It has more than ${maxLength} characters.`;
  if (hasInvisible(text) || oddSpaces.test(text) || (joiner.test(text) && beside.test(text)))
    return "It has characters that cannot be seen.";
  if (manyMarks.test(text)) return "It has too many accents on one letter.";
  if (hasAddress(text)) return "It holds an address, a domain, a mention or markup.";
  if (mixesScripts(text)) return "It mixes letters of several alphabets in one word.";
  return undefined;
}

/** A text of the data in quotation marks, exactly as it is. Refused if it cannot be published so. */
export function quoteName(text: string, what = "The name"): string {
  const problem = problemOfName(text);
  if (problem !== undefined) return refuse(`${what} cannot be published. ${problem}`);
  return `"${text.replaceAll(quotationMarks, "\\$&")}"`;
}

/** Words that a reader could mistake for Querybell's own. */
const sentenceWords = new Set(
  (
    "is are was were has have had no not none never and or but than by from to of in on at for with without as the a an " +
    "rose fell up down more less most least before after last previous now ist sind war waren hat und oder kein keine nicht von auf um als mehr weniger " +
    "est sont était et ou ne pas aucun de du des le la les un une plus moins es son fue no ni y o el los las uno del más menos"
  ).split(" "),
);
const plainWords = /^\p{Script=Latin}+(?:[_ ]\p{Script=Latin}+){0,3}$/u;

/** A column's name as words, unit_price as "unit price", chiffre_d_affaires as "chiffre d’affaires"; in quotation marks unless it is a few plain words. */
export const columnLabel = (name: string): string =>
  hasPlainName(name)
    ? name.replaceAll("_", " ").replaceAll(/\b([dl]) (?=[aeiouéèêh])/gi, "$1’")
    : quoteName(name, `The name of the column ${JSON.stringify(name.slice(0, 60))}`);

export const hasPlainName = (name: string): boolean =>
  name.length <= 30 &&
  plainWords.test(name) &&
  !name.split(/[_ ]/).some((word) => sentenceWords.has(word.toLowerCase()));

/** Whether a word has letters of scripts that look alike. */
function mixesScripts(text: string): boolean {
  const scripts = [
    /\p{Script=Latin}/u,
    /\p{Script=Cyrillic}/u,
    /\p{Script=Greek}/u,
    /\p{Script=Armenian}|\p{Script=Cherokee}/u,
  ];
  return (text.match(/\p{L}+/gu) ?? []).some(
    (word) => scripts.filter((script) => script.test(word)).length > 1,
  );
}

/** Addresses, domains, mentions and markup. */
const addressForms = [
  // Schemes that open something when a mail or chat program makes a link of them.
  /\b(?:https?|ftps?|sftp|file|javascript|vbscript|data|mailto|tel|sms|callto|sips?|facetime|skype|whatsapp|signal|msteams|discord|zoommtg|blob|about|intent|market|wss?|ssh|telnet|git|ldaps?|smb|irc|xmpp|matrix|slack|tg|magnet|geo|maps|bitcoin|ethereum|steam|vscode|web\+[a-z]+):(?=\S)/,
  /\/\/|\\\\|^\s*\//,
  // A dot between a letter or digit and letters: evil.com, and by mistake also St.Gallen.
  /[^\s.]\.[\p{L}\p{M}]{2}/u,
  // "evil . com" and "evil .com". After the end of a sentence there is a space only behind the dot.
  /\s\.\s?[\p{L}\p{M}]{2}/u,
  /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|::|(?:[\da-f]{1,4}:){4}/,
  /\blocalhost\b|[a-z\d-]:\d{2,5}\//,
  /[[({<]\s?(?:\.|dot|punkt|point|punto)\s?[\])}>]|\s(?:dot|punkt|point|punto)\s(?:com|net|org|info|biz|io|co|de|fr|es|uk|ru|cn|ai|app|dev|me|xyz|top|shop|site|link|online)\b/,
  /@/,
  /\b(?:xn--|www\.)/,
  /!\[|\]\(|<[\p{L}!/@#]|```|&#?[\p{L}\p{N}]{2,8};/u,
];

/** Characters that look like a dot, or that programs take for one. */
const dots = /[。．｡․﹒ꓸ·‧∙⋅۔܁܂።᙮⳹⳾⸱⸳⸼꘎꛳︒•]/gu;
const slashLike = /[／⁄∕⧸⫽]/gu;
const colonLike = /[：﹕∶ː꞉]/gu;

/** Whether a text holds an address or a domain in any form, a mention, or markup. */
function hasAddress(text: string): boolean {
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

const isAddress = (text: string): boolean => addressForms.some((form) => form.test(text));

/** Decodes what it can: %2e and %2f. */
const decodePercent = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

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
