const name = "[A-Za-z_][A-Za-z0-9_]*";
const placeholder = new RegExp(`\\{\\{\\s*(${name})\\s*\\}\\}`, "g");

// What is skipped whole: comments and quoted names. Strings come whole too, so that a comment's beginning inside one is
// none, and are then searched. While somebody types, what is not closed yet reaches to the end.
const piece = new RegExp(
  [
    "--[^\\n\\r]*",
    "/\\*",
    '(?:[uU]&)?"(?:[^"]|"")*(?:"|$)',
    "(?<string>[eE]'(?:[^'\\\\]|''|\\\\[\\s\\S])*(?:'|$)|'(?:[^']|'')*(?:'|$)|\\$(?<tag>(?:[A-Za-z_\\u0080-\\uFFFF][\\w\\u0080-\\uFFFF]*)?)\\$[\\s\\S]*?(?:\\$\\k<tag>\\$|$))",
    `(?<alone>\\{\\{\\s*${name}\\s*\\}\\})`,
    "[A-Za-z_\\u0080-\\uFFFF][\\w$\\u0080-\\uFFFF]*",
  ].join("|"),
  "g",
);

/**
 * The placeholders of a statement that may be half typed, once each, in the order of first use. For a whole statement
 * they are those that the engines find, in every dialect.
 */
export function findPlaceholders(sql: string): string[] {
  const found = new Set<string>();
  piece.lastIndex = 0;
  for (let match = piece.exec(sql); match; match = piece.exec(sql)) {
    if (match[0] === "/*") piece.lastIndex = endOfComment(sql, match.index);
    const text = match.groups?.string ?? match.groups?.alone;
    for (const [, inside] of text?.matchAll(placeholder) ?? []) if (inside) found.add(inside);
  }
  return [...found];
}

/** Comments may hold others. */
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
