import fc from "fast-check";
import { expect, test } from "vitest";
import { LargeRow } from "./to-csv.ts";

/** Parses one line of CSV (RFC 4180); an empty value without quotes is null. */
function readCsvLine(line: string): (string | null)[] {
  const values = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n$)/g)];
  return values.map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? (bare === "" ? null : (bare ?? null)),
  );
}

const asText = (value: unknown) =>
  value === null ? null : typeof value === "string" ? value : JSON.stringify(value);

/** Escapes every character beyond ASCII, as some JSON serializers do. */
const escaped = (json: string) =>
  json.replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

test("any row is converted completely, wherever its chunks begin", () => {
  const row = fc.array(fc.jsonValue({ stringUnit: "grapheme" }), { minLength: 1 });
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
  fc.assert(
    fc.property(row, sizes, fc.boolean(), (values, lengths, isEscaped) => {
      const json = isEscaped ? escaped(JSON.stringify(values)) : JSON.stringify(values);
      const characters = [...json];
      const large = new LargeRow();
      const written: string[] = [];
      for (let turn = 0; characters.length > 0; turn++) {
        written.push(large.write(characters.splice(0, lengths[turn % lengths.length] ?? 1).join("")));
      }
      // Each chunk is encoded separately, so none may end inside a character.
      for (const piece of written) expect(piece.isWellFormed()).toBe(true);
      const found = readCsvLine(written.join(""));
      expect(found.map(unescaped)).toEqual(values.map(asText).map(unescaped));
    }),
    { endOnFailure: true },
  );
});

/** Nested values keep the spelling of their JSON. */
const unescaped = (text: string | null) => (text && /^[[{]/.test(text) ? JSON.stringify(parsed(text)) : text);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

test("a number without end, as a hostile engine host can write it, is refused", () => {
  const large = new LargeRow();
  const digits = "1".repeat(64 * 1024);
  large.write("[");
  expect(() => {
    for (let count = 0; count < 64; count++) large.write(digits);
  }).toThrow("a number without end");
});
