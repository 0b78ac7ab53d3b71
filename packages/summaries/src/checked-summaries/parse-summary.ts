import { endOfQuote, parseSlot, startsQuote } from "./parse-slot.ts";
import { checkConnectingText, type Position } from "./phrases/connecting-text.ts";
import type { Language, Slot } from "./slot.ts";

export interface NamedSlot {
  slot: Slot;
  /** The id of the result, where the slot names one. */
  result: string | undefined;
}

type SentencePiece = { kind: "text"; text: string } | ({ kind: "slot" } & NamedSlot);

export interface ParsedSentence {
  /** As it was written. */
  source: string;
  pieces: SentencePiece[];
  problems: string[];
}

type RawPiece = { kind: "text" | "slot" | "open"; text: string };

const maxSentences = 20;
const maxSlots = 8;
/** How many characters are shown of the sentences beyond the maximum number. */
const maxRest = 500;

/** Splits a summary into sentences, and each into slots and the text around them. */
export function parseSummary(text: string, language: Language): ParsedSentence[] {
  const all = toSentences(piecesOf(text));
  const sentences = all.slice(0, maxSentences).map((pieces) => toSentence(pieces, language));
  const rest = all.slice(maxSentences).map((pieces) => `${sourceOf(pieces)}.`);
  if (rest.length === 0) return sentences;
  const problems = [`There are more than ${maxSentences} sentences.`];
  return [...sentences, { source: rest.join(" ").slice(0, maxRest), pieces: [], problems }];
}

function piecesOf(text: string): RawPiece[] {
  const pieces: RawPiece[] = [];
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf("{{", at);
    if (start > at || start === -1) {
      pieces.push({ kind: "text", text: text.slice(at, start === -1 ? text.length : start) });
    }
    if (start === -1) break;
    const end = endOfSlot(text, start + 2);
    if (end === -1) {
      pieces.push({ kind: "open", text: text.slice(start) });
      break;
    }
    pieces.push({ kind: "slot", text: text.slice(start + 2, end) });
    at = end + 2;
  }
  return pieces;
}

/** The position of the braces that close a slot. Braces in quotation marks do not. */
function endOfSlot(text: string, start: number): number {
  for (let at = start; at < text.length; ) {
    if (text.startsWith("}}", at)) return at;
    // An apostrophe inside a word opens no quotation.
    const isOpening = startsQuote(text.charAt(at)) && /[\s=<>!≠≤≥{]/.test(text.charAt(at - 1));
    at = isOpening ? endOfQuote(text, at) : at + 1;
  }
  return -1;
}

/** A sentence ends with a full stop or a line. */
function toSentences(pieces: readonly RawPiece[]): RawPiece[][] {
  const sentences: RawPiece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind !== "text") {
      sentences.at(-1)?.push(piece);
      continue;
    }
    const [first = "", ...rest] = piece.text.split(/[.\n\r]/);
    sentences.at(-1)?.push({ kind: "text", text: first });
    for (const text of rest) sentences.push([{ kind: "text", text }]);
  }
  return sentences.filter((raw) => raw.some(({ kind, text }) => kind !== "text" || text.trim() !== ""));
}

const sourceOf = (raw: readonly RawPiece[]): string =>
  raw
    .map(({ kind, text }) => (kind === "slot" ? `{{${text}}}` : text))
    .join("")
    .trim();

function toSentence(raw: readonly RawPiece[], language: Language): ParsedSentence {
  const source = sourceOf(raw);
  const slots = raw.filter(({ kind }) => kind === "slot").length;
  const isOpen = raw.some(({ kind }) => kind === "open");
  if (isOpen) return { source, pieces: [], problems: ["A slot is not closed with }}."] };
  if (slots === 0)
    return { source, pieces: [], problems: ["It has no slot, so there is nothing to check in it."] };
  if (slots > maxSlots) return { source, pieces: [], problems: [`It has more than ${maxSlots} slots.`] };
  const problems: string[] = [];
  const pieces: SentencePiece[] = [];
  let before = 0;
  for (const { kind, text } of raw) {
    if (kind === "slot") {
      const parsed = parseSlot(text);
      if ("problem" in parsed) problems.push(`{{${text.trim().slice(0, 60)}}}: ${parsed.problem}`);
      else pieces.push({ kind: "slot", ...parsed });
      before++;
      continue;
    }
    const position: Position = before === 0 ? "before" : before < slots ? "between" : "after";
    const checked = checkConnectingText(text, position, language);
    if ("problem" in checked) problems.push(checked.problem);
    else pieces.push({ kind: "text", text: checked.text });
  }
  return { source, pieces, problems: [...new Set(problems)] };
}
