import { refuseAt } from "./refuse-at.ts";
import { placeholderPattern, type Token } from "./tokenizer.ts";

/** A part of a string literal with placeholders: decoded text, or the name of a placeholder. */
export type LiteralPiece = { text: string } | { name: string };

/** The pieces of a literal, or null if it has no placeholder. */
export function literalPieces(token: Token, sql: string): LiteralPiece[] | null {
  const literal = literalForms[token.kind];
  if (!literal || !token.text.includes("{{")) return null;
  const { open, close } = literal.marks(token.text);
  const content = token.text.slice(open, token.text.length - close);
  const matches = [...content.matchAll(new RegExp(placeholderPattern, "g"))];
  if (matches.length === 0) return null;

  const pieces: LiteralPiece[] = [];
  let from = 0;
  const pushText = (to: number) => {
    const text = literal.decode(content.slice(from, to));
    if (text === null) {
      refuseAt(
        sql,
        token.start,
        "A placeholder cannot stand beside this escape. Use a plain string, or join two with ||.",
      );
    }
    if (text !== "") pieces.push({ text });
  };
  for (const match of matches) {
    pushText(match.index);
    pieces.push({ name: match[1] ?? "" });
    from = match.index + match[0].length;
  }
  pushText(content.length);
  return pieces;
}

interface LiteralForm {
  marks(text: string): { open: number; close: number };
  /** The text that a part of the literal means; null if that depends on its neighbours. */
  decode(raw: string): string | null;
}

const doubledQuotes = (raw: string) => raw.replaceAll("''", "'");

const literalForms: Partial<Record<Token["kind"], LiteralForm>> = {
  string: { marks: () => ({ open: 1, close: 1 }), decode: doubledQuotes },
  escapeString: { marks: () => ({ open: 2, close: 1 }), decode: decodeEscapes },
  dollarString: {
    marks: (text) => {
      const tag = text.indexOf("$", 1) + 1;
      return { open: tag, close: tag };
    },
    decode: (raw) => raw,
  },
};

const escapePattern = /''|\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.)|$)/gs;
const namedEscapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function decodeEscapes(raw: string): string | null {
  let decodable = true;
  const decoded = raw.replace(escapePattern, (all, octal, hex, short, long, other) => {
    if (all === "''") return "'";
    if (other !== undefined) return namedEscapes[other] ?? other;
    const byte = octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? "", 16);
    const code = Number.isNaN(byte) ? Number.parseInt(short ?? long ?? "", 16) : byte;
    // Bytes from 0x80 on are parts of a character, and a backslash at the end would escape the brace.
    const isOneCharacter = code > 0 && code <= (Number.isNaN(byte) ? 0x10ffff : 0x7f);
    if (!isOneCharacter) decodable = false;
    return isOneCharacter ? String.fromCodePoint(code) : "";
  });
  return decodable && decoded.isWellFormed() ? decoded : null;
}
