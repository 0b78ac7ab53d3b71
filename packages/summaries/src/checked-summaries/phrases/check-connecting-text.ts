import type { Language } from "../slot.ts";
import { type Phrases, phrases } from "./phrases.ts";
import { joinTokens, punctuate } from "./punctuate.ts";

export type Position = "before" | "between" | "after";

export type Connecting = { text: string } | { problem: string };

/** Which lists may be used where. */
const listsAt: Record<Position, (keyof Phrases)[]> = {
  before: ["openers", "links"],
  between: ["links", "openers", "endings"],
  after: ["endings"],
};
const marksAt: Record<Position, RegExp> = { before: /[,:]/, between: /[,;]/, after: /,/ };

/** The phrases as they are published, by their lower case. */
const known = new Map<string, ReadonlyMap<string, string>>();
function phrasesAt(language: Language, position: Position): ReadonlyMap<string, string> {
  const key = `${language} ${position}`;
  const found = known.get(key);
  if (found) return found;
  const all = listsAt[position].flatMap((list) => phrases[language][list]);
  const made = new Map(all.map((phrase) => [phrase.toLowerCase(), phrase]));
  known.set(key, made);
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
  const written: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? "";
    if (/^[,;:]$/.test(token)) {
      if (!marksAt[position].test(token) || /^[,;:]$/.test(written.at(-1) ?? ""))
        return { problem: `${JSON.stringify(token)} cannot stand there.` };
      if (position === "before" && written.length === 0)
        return { problem: "A sentence begins with a word or a slot." };
      written.push(token);
      at++;
      continue;
    }
    const found = longestPhrase(tokens.slice(at), allowed);
    if (!found) return { problem: notListed(tokens.slice(at), position) };
    written.push(found.phrase);
    at += found.length;
  }
  return { text: position === "after" ? joinTokens(written) : punctuate(written, language) };
}

/** The longest, so that "and also" is not read as "and". */
function longestPhrase(tokens: readonly string[], allowed: ReadonlyMap<string, string>) {
  for (let length = Math.min(maxWords, tokens.length); length > 0; length--) {
    const phrase = allowed.get(tokens.slice(0, length).join(" ").toLowerCase());
    if (phrase !== undefined) return { phrase, length };
  }
  return undefined;
}

const where: Record<Position, string> = {
  before: "before the first slot",
  between: "between two slots",
  after: "after the last slot",
};

const notListed = (tokens: readonly string[], position: Position): string =>
  `${JSON.stringify(tokens.slice(0, 6).join(" ").slice(0, 80))} is not one of the phrases that may stand ${where[position]}. What a sentence says comes from slots.`;
