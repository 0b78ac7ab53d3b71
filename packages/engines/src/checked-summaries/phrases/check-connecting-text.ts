import type { Language } from "../slot.ts";
import { type Phrases, phrases } from "./phrases.ts";

export type Position = "before" | "between" | "after" | "alone";

export type Connecting = { text: string } | { problem: string };

/** Which lists may be used where. */
const listsAt: Record<Position, (keyof Phrases)[]> = {
  before: ["openers", "links"],
  between: ["links", "openers", "endings"],
  after: ["endings"],
  alone: [],
};
const marksAt: Record<Position, RegExp> = { before: /[,:]/, between: /[,;]/, after: /,/, alone: /,/ };

/** Longer phrases first, so that "and also" is not read as "and". */
const sets = new Map<string, ReadonlySet<string>>();
function phrasesAt(language: Language, position: Position): ReadonlySet<string> {
  const key = `${language} ${position}`;
  const known = sets.get(key);
  if (known) return known;
  const made = new Set(listsAt[position].flatMap((list) => phrases[language][list]));
  sets.set(key, made);
  return made;
}

const maxWords = 8;

/**
 * Checks the text around slots: it must be made of listed phrases and a few marks. Answers it as the lists have it, so
 * that letters that only look like others never get out.
 */
export function checkConnectingText(text: string, position: Position, language: Language): Connecting {
  const allowed = phrasesAt(language, position);
  const tokens =
    text
      .normalize("NFC")
      .replaceAll("’", "'")
      .match(/[,;:]|[^\s,;:]+/gu) ?? [];
  let written = "";
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? "";
    if (/^[,;:]$/.test(token)) {
      if (!marksAt[position].test(token) || /[,;:]$/.test(written))
        return { problem: `${JSON.stringify(token)} cannot stand there.` };
      if (position === "before" && written === "")
        return { problem: "A sentence begins with a word or a slot." };
      written += token;
      at++;
      continue;
    }
    const length = lengthOfPhrase(tokens, at, allowed);
    if (length === 0) return { problem: notListed(tokens.slice(at), position) };
    const phrase = tokens
      .slice(at, at + length)
      .join(" ")
      .toLowerCase();
    written += written === "" ? phrase : ` ${phrase}`;
    at += length;
  }
  return { text: written };
}

function lengthOfPhrase(tokens: readonly string[], at: number, allowed: ReadonlySet<string>): number {
  for (let length = Math.min(maxWords, tokens.length - at); length > 0; length--) {
    const phrase = tokens
      .slice(at, at + length)
      .join(" ")
      .toLowerCase();
    if (allowed.has(phrase)) return length;
  }
  return 0;
}

const where: Record<Position, string> = {
  before: "before the first slot",
  between: "between two slots",
  after: "after the last slot",
  alone: "in a sentence without a slot",
};

const notListed = (tokens: readonly string[], position: Position): string =>
  `${JSON.stringify(tokens.slice(0, 6).join(" ").slice(0, 80))} is not one of the phrases that may stand ${where[position]}. What a sentence says comes from slots.`;
