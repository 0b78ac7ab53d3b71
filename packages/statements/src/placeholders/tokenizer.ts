import type { Dialect } from "./dialect.ts";
import { refuseAt, refuseSql } from "./refuse-at.ts";
import { maxTokens } from "./statement-limits.ts";

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

export const isSignificant = (token: Token) => token.kind !== "space" && token.kind !== "comment";

/** The text between a placeholder's braces, in SQL and in string literals alike. */
export const placeholderPattern = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/;

interface Rule {
  kind: TokenKind;
  /** Sticky: it matches at `lastIndex` or not at all. */
  pattern: RegExp;
  /** The characters that such a token can start with. */
  starts: RegExp;
}

// The order matters: the first rule that matches takes the text.
const quotedRules: Rule[] = [
  { kind: "comment", pattern: /--[^\n\r]*/y, starts: /-/ },
  { kind: "placeholder", pattern: new RegExp(placeholderPattern, "y"), starts: /\{/ },
  { kind: "string", pattern: /'[^']*(?:''[^']*)*'/y, starts: /'/ },
  { kind: "escapeString", pattern: /[eE]'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'/sy, starts: /[eE]/ },
  { kind: "prefixedString", pattern: /(?:[bBxXnN]|[uU]&)'[^']*(?:''[^']*)*'/y, starts: /[bBxXnNuU]/ },
  { kind: "quotedIdentifier", pattern: /(?:[uU]&)?"[^"]*(?:""[^"]*)*"/y, starts: /[uU"]/ },
  {
    kind: "dollarString",
    pattern: /\$((?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?)\$.*?\$\1\$/sy,
    starts: /\$/,
  },
];
const unquotedRules: Rule[] = [
  { kind: "word", pattern: /[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y, starts: /[A-Za-z_\u0080-\uFFFF]/ },
  { kind: "number", pattern: /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?/y, starts: /[\d.]/ },
  { kind: "operator", pattern: /(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+/y, starts: /[-+*/<>=~!@#%^&|`?]/ },
  { kind: "punctuation", pattern: /./sy, starts: /./s },
];

const openings: [opening: RegExp, what: string][] = [
  [/(?:[eEbBxXnN]|[uU]&)?'/y, "string"],
  [/(?:[uU]&)?"/y, "quoted identifier"],
  [/\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y, "dollar-quoted string"],
];
const opens = /[eEbBxXnNuU'"$]|\{/;

/** The rules that can match at a character, so that only a few rules are tried for each token. */
interface Candidates {
  quoted: Rule[];
  mayBeUnclosed: boolean;
  unquoted: Rule[];
}

/** Splits a statement into tokens. Joined, they are exactly the statement. */
export function tokenize(sql: string, dialect: Dialect): Token[] {
  const candidatesFor = byFirstCharacter(dialect);
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    const { quoted, mayBeUnclosed, unquoted } = candidatesFor(sql.charAt(at));
    let token = readBlockComment(sql, at, dialect) ?? readByRules(sql, at, quoted);
    if (!token && mayBeUnclosed) refuseUnclosed(sql, at);
    token ??= readByRules(sql, at, unquoted);
    if (!token) throw new Error(`No token was found at offset ${at}.`);
    if (tokens.length === maxTokens) refuseTooManyTokens(sql, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function byFirstCharacter(dialect: Dialect): (character: string) => Candidates {
  const { space, driverParameter, hasEscapeStrings, hasDollarStrings } = dialect;
  const quoted: Rule[] = [
    { kind: "space", pattern: space, starts: /\s|[^\0-\x7f]/ },
    ...quotedRules.filter(
      ({ kind }) =>
        (kind !== "escapeString" || hasEscapeStrings) && (kind !== "dollarString" || hasDollarStrings),
    ),
  ];
  const unquoted: Rule[] = [
    { kind: "driverParameter", pattern: driverParameter, starts: /[?$]/ },
    ...unquotedRules,
  ];
  const known = new Map<string, Candidates>();
  return (character) => {
    let candidates = known.get(character);
    if (!candidates) {
      const starting = (rules: Rule[]) => rules.filter(({ starts }) => starts.test(character));
      candidates = {
        quoted: starting(quoted),
        mayBeUnclosed: opens.test(character),
        unquoted: starting(unquoted),
      };
      known.set(character, candidates);
    }
    return candidates;
  };
}

function readByRules(sql: string, start: number, rules: Rule[]): Token | undefined {
  for (const { kind, pattern } of rules) {
    pattern.lastIndex = start;
    if (pattern.test(sql) && pattern.lastIndex > start) {
      return { kind, text: sql.slice(start, pattern.lastIndex), start };
    }
  }
  return undefined;
}

function refuseTooManyTokens(sql: string, at: number): never {
  refuseSql(
    "statement_too_large",
    { sql, offset: at },
    (place) =>
      `The SQL has more than ${maxTokens} words, numbers and signs; the rest starts at ${place}. Shorten it, or pass a long list as a parameter.`,
  );
}

function readBlockComment(sql: string, start: number, { nestsComments }: Dialect): Token | undefined {
  if (!sql.startsWith("/*", start)) return undefined;
  const end = nestsComments ? endOfNestedComment(sql, start) : sql.indexOf("*/", start + 2) + 2;
  if (end > start + 2) return { kind: "comment", text: sql.slice(start, end), start };
  return refuseSql(
    "invalid_sql",
    { sql, offset: start },
    (place) => `The comment that starts at ${place} is never closed: end it with */.`,
  );
}

function endOfNestedComment(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

function refuseUnclosed(sql: string, start: number): undefined {
  for (const [opening, what] of openings) {
    opening.lastIndex = start;
    if (opening.test(sql)) {
      const at = { sql, offset: start };
      refuseSql("invalid_sql", at, (place) => `The ${what} that starts at ${place} is never closed.`);
    }
  }
  if (sql.startsWith("{{", start)) {
    refuseAt(sql, start, "This is not a placeholder: write {{name}}, with letters, digits and underscores.");
  }
}
