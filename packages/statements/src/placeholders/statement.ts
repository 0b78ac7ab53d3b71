import type { ParameterDefinition } from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import type { Dialect } from "./dialect.ts";
import { type LiteralPiece, literalPieces } from "./literal-pieces.ts";
import { refuseAt, refuseSql } from "./refuse-at.ts";
import { checkPlaceholderCount } from "./statement-limits.ts";
import { isSignificant, placeholderPattern, type Token, tokenize } from "./tokenizer.ts";

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
  const unknown = statement.placeholders.filter((name) => !byName.has(name));
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
