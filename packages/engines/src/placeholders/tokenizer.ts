import { AppError } from "@querybell/domain";
import type { Dialect } from "./dialect.ts";
import { describePosition, refuseAt } from "./refuse-at.ts";

type TokenKind =
  | "space"
  | "comment"
  | "string"
  | "prefixedString"
  | "escapeString"
  | "dollarString"
  | "quotedIdentifier"
  | "word"
  | "number"
  | "placeholder"
  | "driverParameter"
  | "operator"
  | "punctuation";

export interface Token {
  kind: TokenKind;
  text: string;
  start: number;
}

/** The text between a placeholder's braces, in SQL and in string literals alike. */
export const placeholderPattern = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/;

type Rule = [kind: TokenKind, pattern: RegExp];

// The order matters: the first rule that matches takes the text.
const quotedRules: Rule[] = [
  ["comment", /--[^\n\r]*/y],
  ["placeholder", new RegExp(placeholderPattern, "y")],
  ["string", /'[^']*(?:''[^']*)*'/y],
  ["escapeString", /[eE]'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'/sy],
  ["prefixedString", /(?:[bBxXnN]|[uU]&)'[^']*(?:''[^']*)*'/y],
  ["quotedIdentifier", /(?:[uU]&)?"[^"]*(?:""[^"]*)*"/y],
  ["dollarString", /\$((?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?)\$.*?\$\1\$/sy],
];
const unquotedRules: Rule[] = [
  ["word", /[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y],
  ["number", /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?/y],
  ["operator", /(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+/y],
  ["punctuation", /./sy],
];

const openings: [opening: RegExp, what: string][] = [
  [/(?:[eEbBxXnN]|[uU]&)?'/y, "string"],
  [/(?:[uU]&)?"/y, "quoted identifier"],
  [/\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y, "dollar-quoted string"],
];

/** Splits a statement into tokens that, joined, are the statement again, to the character. */
export function tokenize(sql: string, dialect: Dialect): Token[] {
  const unquoted: Rule[] = [["driverParameter", dialect.driverParameter], ...unquotedRules];
  const quoted: Rule[] = [["space", dialect.space], ...quotedRules];
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    const token =
      readBlockComment(sql, at) ??
      readByRules(sql, at, quoted) ??
      refuseUnclosed(sql, at) ??
      readByRules(sql, at, unquoted);
    if (!token) throw new Error(`No token was found at offset ${at}.`);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function readByRules(sql: string, start: number, rules: Rule[]): Token | undefined {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = start;
    const text = pattern.exec(sql)?.[0];
    if (text) return { kind, text, start };
  }
  return undefined;
}

function readBlockComment(sql: string, start: number): Token | undefined {
  if (!sql.startsWith("/*", start)) return undefined;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return { kind: "comment", text: sql.slice(start, marks.lastIndex), start };
  }
  throw new AppError(
    "invalid_sql",
    `The comment that starts at ${describePosition(sql, start)} is never closed: end it with */.`,
  );
}

function refuseUnclosed(sql: string, start: number): undefined {
  for (const [opening, what] of openings) {
    opening.lastIndex = start;
    if (opening.test(sql)) {
      throw new AppError(
        "invalid_sql",
        `The ${what} that starts at ${describePosition(sql, start)} is never closed.`,
      );
    }
  }
  if (sql.startsWith("{{", start)) {
    refuseAt(sql, start, "This is not a placeholder: write {{name}}, with letters, digits and underscores.");
  }
}
