const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

interface Rule {
  /** Sticky: matches only at `lastIndex`. An unclosed string or comment extends to the end. */
  pattern: RegExp;
  /** Whether placeholders are found in it: yes in strings, not in comments and quoted names. */
  isSearched: boolean;
}

// The first rule that matches is used, so the order matters.
const rules: Rule[] = [
  { pattern: /--[^\n\r]*/y, isSearched: false },
  { pattern: /(?:[uU]&)?"[^"]*(?:""[^"]*)*"?/y, isSearched: false },
  { pattern: /'[^']*(?:''[^']*)*'?/y, isSearched: true },
  { pattern: /[eE]'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'?/sy, isSearched: true },
  { pattern: /\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}/y, isSearched: true },
  { pattern: /[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y, isSearched: false },
  { pattern: /[^-/'"${A-Za-z_\u0080-\uFFFF]+/y, isSearched: false },
];
const dollarQuote = /\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y;

/**
 * The distinct placeholders of a statement that may be incomplete, in the order of first use. For a complete statement,
 * the engines find the same placeholders in every dialect.
 */
export function findPlaceholders(sql: string): string[] {
  const found = new Set<string>();
  for (let at = 0; at < sql.length; ) {
    const { end, isSearched } = pieceAt(sql, at);
    if (isSearched) {
      for (const [, name] of sql.slice(at, end).matchAll(placeholder)) if (name) found.add(name);
    }
    at = end;
  }
  return [...found];
}

function pieceAt(sql: string, at: number): { end: number; isSearched: boolean } {
  if (sql.startsWith("/*", at)) return { end: endOfComment(sql, at), isSearched: false };
  const opening = matchAt(dollarQuote, sql, at);
  if (opening !== undefined) {
    const closing = sql.indexOf(opening, at + opening.length);
    return { end: closing === -1 ? sql.length : closing + opening.length, isSearched: true };
  }
  for (const { pattern, isSearched } of rules) {
    const text = matchAt(pattern, sql, at);
    if (text !== undefined) return { end: at + text.length, isSearched };
  }
  return { end: at + 1, isSearched: false };
}

function matchAt(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0];
}

/** Comments can be nested. */
function endOfComment(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}
