import type { ParameterDefinition } from "@querybell/domain";
import { expect, test } from "vitest";
import { sampleDialect } from "../testing/sample-dialect.ts";
import { checkPlaceholders, parseStatement } from "./statement.ts";

function define(name: string, type: ParameterDefinition["type"]): ParameterDefinition {
  return { name, type, displayName: name, description: "" };
}

test.each([
  [
    "SELECT {{a}}, {{ b }}, '{{c}}', E'x\\'{{d}}', $$ {{e}} $$, $t$ {{f}} $t$",
    ["a", "b", "c", "d", "e", "f"],
  ],
  ["SELECT 1 -- {{a}}\n, {{b}} /* {{c}} /* {{d}} */ {{e}} */", ["b"]],
  ["SELECT {{a}} + {{a}}", ["a"]],
  ["SELECT '{{not one}}', '{{1}}', '{ {a}}', '{{1,2},{3,4}}'", []],
  ["SELECT 'it''s {{a}}', 'back\\', {{b}}, '--', {{c}}", ["a", "b", "c"]],
  ["SELECT a$b$ || {{a}} || c$b$ FROM t", ["a"]],
])("finds the placeholders of %s", (sql, names) => {
  expect(parseStatement(sql, sampleDialect).placeholders).toEqual(names);
});

test.each([
  ["SELECT 1; SELECT 2", "multiple_statements", /line 1, column 11/],
  ["SELECT 1;\n-- next\n  DROP TABLE t;", "multiple_statements", /line 3, column 3/],
  ["; SELECT 1", "multiple_statements", /one statement/],
  ["", "invalid_sql", /no statement/],
  [" -- only a comment\n;", "invalid_sql", /no statement/],
  ["SELECT 'open", "invalid_sql", /string .* line 1, column 8 is never closed/],
  ["SELECT E'open\\'", "invalid_sql", /string .* never closed/],
  ['SELECT "open', "invalid_sql", /quoted identifier .* never closed/],
  ["SELECT $a$ open $b$", "invalid_sql", /dollar-quoted string .* never closed/],
  ["SELECT /* open /* */", "invalid_sql", /comment .* never closed/],
  ["SELECT $1, {{a}}", "invalid_sql", /\$1 at line 1, column 8/],
  ["SELECT \0", "invalid_sql", /NUL/],
  ['SELECT\n  "col_{{a}}"', "misplaced_placeholder", /line 2, column 3: .*quoted name/],
  ["SELECT x'{{a}}'", "misplaced_placeholder", /this kind of string/],
  ["SELECT {{two words}}", "misplaced_placeholder", /write \{\{name\}\}/],
  ["SELECT E'\\{{a}}'", "misplaced_placeholder", /escape/],
  // A text cannot hold a NUL.
  ["SELECT E'\\0{{a}}'", "misplaced_placeholder", /escape/],
  ["SELECT E'{{a}}\\x00'", "misplaced_placeholder", /escape/],
  ["SELECT E'{{a}}\\u0000'", "misplaced_placeholder", /escape/],
  // Half of a surrogate pair is not a character.
  ["SELECT E'\\ud83d{{a}}'", "misplaced_placeholder", /escape/],
  ["SELECT E'{{a}}\\ude00'", "misplaced_placeholder", /escape/],
])("refuses %j with %s", (sql, code, message) => {
  expect(() => parseStatement(sql, sampleDialect)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});

test.each(["SELECT 1;", "SELECT 1 ; -- done\n ;", "SELECT ';'", "SELECT $$;$$ /* ; */", 'SELECT ";"'])(
  "takes %s as one statement",
  (sql) => {
    expect(parseStatement(sql, sampleDialect).sql).toBe(sql);
  },
);

test("a placeholder without a definition, or a list inside a string, is refused when saved", () => {
  const statement = parseStatement("SELECT {{a}}, '{{b}}'", sampleDialect);
  expect(() => checkPlaceholders(statement, [define("a", "string")])).toThrow(
    expect.objectContaining({ code: "unknown_placeholder", message: expect.stringContaining("{{b}}") }),
  );
  expect(() => checkPlaceholders(statement, [define("a", "string"), define("b", "integer[]")])).toThrow(
    expect.objectContaining({
      code: "misplaced_placeholder",
      message: expect.stringContaining("IN ({{b}})"),
    }),
  );
  checkPlaceholders(statement, [define("a", "integer[]"), define("b", "date")]);
});
