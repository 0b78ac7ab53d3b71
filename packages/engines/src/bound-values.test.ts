import type { EngineKind, ParameterType, ParameterValue } from "@querybell/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, type Parameters, runBoundAndRendered } from "./testing/bound-and-rendered.ts";
import { describeEngines } from "./testing/real-databases.ts";

const nastyPieces = [
  "'",
  "''",
  '"',
  "\\",
  "\\'",
  "--",
  "/*",
  "*/",
  "$$",
  "$1",
  "{{p0}}",
  ";",
  "\n",
  "\r",
  "\u2028",
  "%",
  "?",
  "😀",
  "é",
  "\u0001",
  "E'",
  ":x",
  "`",
  "\ufeff",
  "\u00a0",
];
const nasty = fc.array(fc.constantFrom(...nastyPieces), { maxLength: 12 }).map((pieces) => pieces.join(""));
const anyText = fc
  .oneof(nasty, fc.string({ unit: "binary", maxLength: 40 }), fc.string({ unit: "grapheme" }))
  .filter((text) => !text.includes("\0") && text.isWellFormed());
// Connecting takes the most time, so each statement has many values.
const texts = fc.array(anyText, { minLength: 25, maxLength: 25 });
const asParameters = (values: string[]): Parameters =>
  Object.fromEntries(values.map((value, index) => [`p${index}`, ["string", value]]));

/** A literal of each kind that the engine has, around a placeholder, and its text with a value. */
function literalForms(engine: EngineKind) {
  const plain = (name: string) => `'it''s ${name}\\'`;
  const meantByPlain = (value: string) => `it's ${value}\\`;
  if (engine === "trino") return { written: plain, meant: (value: string) => [meantByPlain(value)] };
  return {
    written: (name: string) => `${plain(name)}, E'\\\\\\x41\\n${name}\\'', $q$$$'${name}$q$`,
    meant: (value: string) => [meantByPlain(value), `\\A\n${value}'`, `$$'${value}`],
  };
}

describeEngines("on", (engine) => {
  test("SELECT {{p}} gives back any string, bound and rendered", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const sql = `SELECT ${values.map((_, index) => `{{p${index}}}`).join(", ")}`;
        expect(await runBoundAndRendered(engine, sql, asParameters(values))).toEqual([values]);
      }),
      { numRuns: 15 },
    );
  });

  test("a string of 100 kB comes back whole", async () => {
    const long = "'\\😀\n--".repeat(12_500);
    expect(await runBoundAndRendered(engine, "SELECT {{p}}, '<{{p}}>'", { p: ["string", long] })).toEqual([
      [long, `<${long}>`],
    ]);
  });

  test("inside a literal of any kind the value is part of that string", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const { written, meant } = literalForms(engine);
        const columns = values.map((_, index) => written(`{{p${index}}}`));
        const expected = values.flatMap(meant);
        expect(
          await runBoundAndRendered(engine, `SELECT ${columns.join(", ")}`, asParameters(values)),
        ).toEqual([expected]);
      }),
      { numRuns: 6 },
    );
  });

  test("inside a comment a placeholder is not replaced", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (p) => {
        const block = engine === "trino" ? "/* {{p}} /* {{p}} /*/" : "/* {{p}} /* {{p}} */ */";
        const sql = `SELECT 1 -- {{p}}\n, ${block} 2 -- {{p}}`;
        expect(compile(engine, sql, { p: ["string", p] }).renderedSql).toBe(sql);
        expect(await runBoundAndRendered(engine, sql, { p: ["string", p] })).toEqual([[1, 2]]);
      }),
      { numRuns: 5 },
    );
  });

  test.each<[ParameterType, ParameterValue[]]>([
    [
      "integer",
      [
        0,
        1,
        -1,
        2147483647,
        -2147483648,
        2147483648,
        9007199254740991,
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
      ],
    ],
    ["number", [0, 1, -1.5, 0.1, 123456789.125, 1e15, -1e-7]],
    ["boolean", [true, false]],
    ["date", ["2024-02-29", "0001-01-01", "9999-12-31"]],
    ["timestamp", ["2024-02-29T23:59:59.123456Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z"]],
    ["integer[]", [[1, 2], [], [5, "9223372036854775807"]]],
    ["string[]", [["a", "b'c\\", "{}", '"', "NULL", ""], []]],
    ["number[]", [[0.5, 2]]],
  ])("the type %s gives back its values", async (type, values) => {
    const parameters = Object.fromEntries(
      values.map((value, index): [string, [ParameterType, ParameterValue]] => [`p${index}`, [type, value]]),
    );
    const [row] = await runBoundAndRendered(
      engine,
      `SELECT ${values.map((_, index) => `{{p${index}}}`).join(", ")}`,
      parameters,
    );
    // Postgres takes numbers as numeric, which travels as text.
    const plain = row?.map((value) => (type.startsWith("number") ? [value].flat().map(Number) : value));
    expect(plain).toEqual(type.startsWith("number") ? values.map((value) => [value].flat()) : values);
  });

  test("any integer and any number survive", async () => {
    const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const doubles = fc.double({ noDefaultInfinity: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(integers, doubles), { minLength: 20, maxLength: 20 }),
        async (pairs) => {
          const parameters: Parameters = {};
          for (const [at, [whole, real]] of pairs.entries()) {
            parameters[`i${at}`] = ["integer", String(whole)];
            parameters[`n${at}`] = ["number", real + 0];
          }
          const [row = []] = await runBoundAndRendered(
            engine,
            `SELECT ${Object.keys(parameters)
              .map((name) => `{{${name}}}`)
              .join(", ")}`,
            parameters,
          );
          expect(row.map((value, at) => (at % 2 === 0 ? String(value) : Number(value)))).toEqual(
            pairs.flatMap(([whole, real]) => [String(whole), real + 0]),
          );
        },
      ),
      { numRuns: 5 },
    );
  });
});
