import { z } from "zod";

// The limits are far above what a statement needs, so that a hostile host cannot fill the worker's memory.
const Source = z.object({
  run: z.enum(["now", "before"]).describe("Of this run or of the last one"),
  column: z.string().max(1000).nullable(),
  rows: z.array(z.int()).max(100).describe("The first of the rows that it was computed from, counted from 1"),
});
/** Where a part of a text comes from. */
export type Source = z.infer<typeof Source>;

/** A text of Querybell's own, with the places of the values in it. */
export const Written = z.object({
  text: z.string().max(2000),
  parts: z.array(z.object({ start: z.int(), end: z.int(), sources: z.array(Source).max(4) })).max(40),
});
export type Written = z.infer<typeof Written>;

export type Piece = Written | string | null;

/** Puts pieces together: write`${name} was ${value}`. A null is left out. */
export function write(texts: TemplateStringsArray, ...pieces: Piece[]): Written {
  return concat(texts.flatMap((text, i): Piece[] => [text, pieces[i] ?? null]));
}

export function concat(pieces: readonly Piece[]): Written {
  const written: Written = { text: "", parts: [] };
  for (const piece of pieces) {
    const offset = written.text.length;
    if (typeof piece === "string") written.text += piece;
    else if (piece !== null) {
      written.text += piece.text;
      const moved = piece.parts.map((part) => ({
        ...part,
        start: part.start + offset,
        end: part.end + offset,
      }));
      written.parts.push(...moved);
    }
  }
  return written;
}

export const joined = (pieces: readonly Written[], separator: string, last = separator): Written =>
  concat(pieces.flatMap((piece, i) => [i === 0 ? "" : i === pieces.length - 1 ? last : separator, piece]));

export const valueFrom = (text: string, ...sources: Source[]): Written => ({
  text,
  parts: [{ start: 0, end: text.length, sources }],
});

/** The first letter as at the beginning of a sentence. */
export const capitalized = ({ text, parts }: Written): Written => ({
  text: text.replace(/^\p{Ll}/u, (letter) => {
    const upper = letter.toUpperCase();
    // "ß" would become two letters, and move all parts.
    return upper.length === letter.length ? upper : letter;
  }),
  parts,
});

/** Replaces the words at the beginning, if the text begins with them. */
export function replaceStart({ text, parts }: Written, start: string, other: string): Written {
  if (!text.startsWith(start)) return { text, parts };
  const moved = other.length - start.length;
  return {
    text: `${other}${text.slice(start.length)}`,
    parts: parts.map((part) => ({ ...part, start: Math.max(0, part.start + moved), end: part.end + moved })),
  };
}
