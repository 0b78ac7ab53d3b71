import type { ParameterDefinition } from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import { isSystemName } from "@querybell/domain/system-names";
import type { Dialect } from "./dialect.ts";
import { checkPlaceholderCount } from "./statement-limits.ts";
import {
  isSignificant,
  matchPlaceholders,
  placeholderPattern,
  refuseAt,
  refuseSql,
  type Token,
  tokenize,
} from "./tokenizer.ts";

/** A token with its placeholders. */
export interface StatementToken extends Token {
  /** The name, where the token is a placeholder. */
  placeholder?: string;
  /** The pieces, where the token is a string literal with placeholders in it. */
  literal?: LiteralPiece[];
}

/** One parsed statement. */
export interface Statement {
  sql: string;
  dialect: Dialect;
  tokens: StatementToken[];
  /** The names of all placeholders outside comments, without duplicates, in the order of first use. */
  placeholders: string[];
}

/**
 * Parses a statement, or refuses it with `invalid_sql`, `multiple_statements`, `misplaced_placeholder`,
 * `statement_too_large`.
 */
export function parseStatement(sql: string, dialect: Dialect): Statement {
  if (sql.includes("\0") || !sql.isWellFormed()) {
    throw new AppError(
      "invalid_sql",
      "The SQL holds a character that no database takes (NUL or half a surrogate pair).",
    );
  }
  const tokens = tokenize(sql, dialect).map((token): StatementToken => readPlaceholders(token, sql));
  refuseSeveralStatements(tokens, sql);
  const used = tokens.flatMap(namesIn);
  const placeholders = [...new Set(used)];
  checkPlaceholderCount({ uses: used.length, names: placeholders.length });
  return { sql, dialect, tokens, placeholders };
}

/** Refuses a statement that does not match its parameter definitions. Called when a query is saved. */
export function checkPlaceholders(statement: Statement, definitions: readonly ParameterDefinition[]): void {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const unknown = statement.placeholders.filter((name) => !byName.has(name) && !isSystemName(name));
  if (unknown.length > 0) {
    throw new AppError(
      "unknown_placeholder",
      `No parameter is defined for ${unknown.map((name) => `{{${name}}}`).join(", ")}. Define it, or correct its name.`,
      { errors: unknown.map((name) => ({ path: `parameters.${name}`, message: "is not defined" })) },
    );
  }
  for (const token of statement.tokens) {
    const list = token.literal && namesIn(token).find((name) => byName.get(name)?.type.endsWith("[]"));
    if (list) refuseListInLiteral(statement.sql, token, list);
  }
}

export function refuseListInLiteral(sql: string, token: Token, name: string): never {
  refuseAt(
    sql,
    token.start,
    `{{${name}}} is a list and cannot stand inside a string. Write IN ({{${name}}}).`,
  );
}

function readPlaceholders(token: Token, sql: string): StatementToken {
  switch (token.kind) {
    case "placeholder":
      return { ...token, placeholder: token.text.slice(2, -2).trim() };
    case "quotedIdentifier":
    case "prefixedString":
      if (placeholderPattern.test(token.text)) {
        const what = token.kind === "quotedIdentifier" ? "a quoted name" : "this kind of string";
        refuseAt(sql, token.start, `A placeholder stands for a value and cannot be part of ${what}.`);
      }
      return token;
    case "driverParameter":
      return refuseSql(
        "invalid_sql",
        { sql, offset: token.start },
        (place) => `${token.text} at ${place} has no value: write a placeholder, {{name}}, instead.`,
      );
    default: {
      const literal = literalPieces(token, sql);
      return literal ? { ...token, literal } : token;
    }
  }
}

function namesIn(token: StatementToken): string[] {
  if (token.placeholder) return [token.placeholder];
  return token.literal?.flatMap((piece) => ("name" in piece ? [piece.name] : [])) ?? [];
}

function refuseSeveralStatements(tokens: Token[], sql: string): void {
  const significant = tokens.filter(isSignificant);
  const first = significant.findIndex((token) => token.text !== ";");
  if (first === -1) throw new AppError("invalid_sql", "There is no statement in this SQL. Write one.");
  const end = significant.findIndex((token, index) => index > first && token.text === ";");
  const next = end === -1 ? undefined : significant.slice(end).find((token) => token.text !== ";");
  if (first > 0 || next) {
    refuseSql(
      "multiple_statements",
      { sql, offset: (next ?? significant[first])?.start ?? 0 },
      (place) =>
        `A query is one statement; another starts at ${place}. Keep one, or join them with WITH or UNION ALL.`,
    );
  }
}

/** A part of a string literal with placeholders: decoded text, or the name of a placeholder. */
type LiteralPiece = { text: string } | { name: string };

/** The pieces of a literal, or null if it has no placeholder. */
function literalPieces(token: Token, sql: string): LiteralPiece[] | null {
  const literal = literalForms[token.kind];
  if (!literal || !token.text.includes("{{")) return null;
  const { open, close } = literal.marks(token.text);
  const content = token.text.slice(open, token.text.length - close);
  const matches = [...matchPlaceholders(content)];
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
