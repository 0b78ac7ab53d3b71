import { hasInvisible } from "../digest/plain-text.ts";
import { hasAddress } from "./find-address.ts";
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

/** Words that would read like Querybell's own between its words. */
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
