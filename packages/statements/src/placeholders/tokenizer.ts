import { AppError, describePosition, positionAt } from "@querybell/domain/app-error";
import { isSystemName } from "@querybell/domain/system-names";
import type { Dialect } from "./dialect.ts";
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

/** A placeholder, in SQL and in string literals alike. */
export const placeholderPattern = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/;

/** The placeholders in the text of a token. The first group of a match is the name. */
export const matchPlaceholders = (text: string) => text.matchAll(new RegExp(placeholderPattern, "g"));

/** What distinguishes the tokens of one engine from those of another. */
type Syntax = Pick<
  Dialect,
  "space" | "hasEscapeStrings" | "hasDollarStrings" | "nestsComments" | "driverParameter"
>;

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

interface Opening {
  kind: TokenKind;
  pattern: RegExp;
  what: string;
  advice?: string;
}
const openings: Opening[] = [
  { kind: "comment", pattern: /\/\*/y, what: "comment", advice: ": end it with */" },
  { kind: "string", pattern: /(?:[eEbBxXnN]|[uU]&)?'/y, what: "string" },
  { kind: "quotedIdentifier", pattern: /(?:[uU]&)?"/y, what: "quoted identifier" },
  {
    kind: "dollarString",
    pattern: /\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y,
    what: "dollar-quoted string",
  },
];
const opens = /[eEbBxXnNuU'"$/]|\{/;

/** The rules that can match at a character, so that only a few rules are tried for each token. */
interface Candidates {
  quoted: Rule[];
  mayBeUnclosed: boolean;
  unquoted: Rule[];
}

/**
 * Splits a statement into tokens. Joined, they are exactly the statement. In an unfinished one, a string or a comment
 * without an end reaches to the end of the text; otherwise it is refused.
 */
export function tokenize(sql: string, syntax: Syntax, isUnfinished = false): Token[] {
  const candidatesFor = byFirstCharacter(syntax);
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    const { quoted, mayBeUnclosed, unquoted } = candidatesFor(sql.charAt(at));
    let token = readBlockComment(sql, at, syntax) ?? readByRules(sql, at, quoted);
    if (!token && mayBeUnclosed) {
      const opening = findOpening(sql, at);
      if (!isUnfinished) refuseUnclosed(sql, at, opening);
      if (opening) token = { kind: opening.kind, text: sql.slice(at), start: at };
    }
    token ??= readByRules(sql, at, unquoted);
    if (!token) throw new Error(`No token was found at offset ${at}.`);
    if (tokens.length === maxTokens && !isUnfinished) refuseTooManyTokens(sql, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

/** A statement that an engine accepts has the same placeholders in this syntax as in the engine's own. */
const anySyntax: Syntax = {
  space: /[ \t\n\r\f\v]+/y,
  hasEscapeStrings: true,
  hasDollarStrings: true,
  nestsComments: true,
  driverParameter: /\$\d+/y,
};
const kindsWithPlaceholders = new Set<TokenKind>(["placeholder", "string", "escapeString", "dollarString"]);

/** The tokens of a statement that somebody is typing, for any engine. */
export const tokenizeTyped = (sql: string): Token[] => tokenize(sql, anySyntax, true);

/** The names of the placeholders of a statement that somebody is typing, without duplicates, in the order of first use. */
export function findPlaceholders(sql: string): string[] {
  const names = tokenizeTyped(sql)
    .filter(({ kind }) => kindsWithPlaceholders.has(kind))
    .flatMap(({ text }) => [...matchPlaceholders(text)].map(([, name = ""]) => name));
  return [...new Set(names)];
}

/** The same without those that are filled in with who runs the query: for these, people give values. */
export const findOpenPlaceholders = (sql: string): string[] =>
  findPlaceholders(sql).filter((name) => !isSystemName(name));

function byFirstCharacter(syntax: Syntax): (character: string) => Candidates {
  const { space, driverParameter, hasEscapeStrings, hasDollarStrings } = syntax;
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

function readBlockComment(sql: string, start: number, { nestsComments }: Syntax): Token | undefined {
  if (!sql.startsWith("/*", start)) return undefined;
  const end = nestsComments ? endOfNestedComment(sql, start) : sql.indexOf("*/", start + 2) + 2;
  return end > start + 2 ? { kind: "comment", text: sql.slice(start, end), start } : undefined;
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

const findOpening = (sql: string, start: number): Opening | undefined =>
  openings.find(({ pattern }) => {
    pattern.lastIndex = start;
    return pattern.test(sql);
  });

function refuseUnclosed(sql: string, start: number, opening: Opening | undefined): void {
  if (opening) {
    const { what, advice = "" } = opening;
    refuseSql(
      "invalid_sql",
      { sql, offset: start },
      (place) => `The ${what} that starts at ${place} is never closed${advice}.`,
    );
  }
  if (sql.startsWith("{{", start)) {
    refuseAt(sql, start, "This is not a placeholder: write {{name}}, with letters, digits and underscores.");
  }
}

/** Refuses a placeholder, with its position for the editor. */
export function refuseAt(sql: string, offset: number, sentence: string): never {
  refuseSql("misplaced_placeholder", { sql, offset }, (place) => `At ${place}: ${sentence}`);
}

/** Refuses a statement because of its text at an offset. `say` writes the message, given the position in words. */
export function refuseSql(
  code: "invalid_sql" | "multiple_statements" | "misplaced_placeholder" | "statement_too_large",
  { sql, offset }: { sql: string; offset: number },
  say: (place: string) => string,
): never {
  const position = positionAt(sql, offset);
  const sentence = say(describePosition(position));
  throw new AppError(code, sentence, { errors: [{ path: "sql", message: sentence, position }] });
}
