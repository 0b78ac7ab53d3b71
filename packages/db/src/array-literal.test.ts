import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrayLiteral } from "./array-literal.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
let client: pg.Client;
beforeAll(async () => {
  server = await startThrowawayPostgres();
  client = new pg.Client(server.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server.stop();
});

const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
// Postgres has no text with a NUL in it.
const texts = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
  fc.constantFrom("", "NULL", "{}", "\\", '"', "\\x00", " a , b "),
);
const dates = fc.date({ min: new Date(0), max: new Date("2999-12-31"), noInvalidDate: true });

const elements: Record<string, fc.Arbitrary<Parameters<typeof arrayLiteral>[0][number]>> = {
  text: texts,
  float8: numbers,
  boolean: fc.boolean(),
  timestamptz: dates,
  bytea: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
};

test.each(Object.entries(elements))(
  "Postgres reads an array of %s as it was written, with what is missing as NULL",
  async (type, element) => {
    const arrays = fc.array(fc.option(element, { nil: undefined, freq: 8 }));
    const property = fc.asyncProperty(arrays, async (values) => {
      const { rows } = await client.query(`SELECT $1::${type}[] AS read`, [arrayLiteral(values)]);
      expect(rows).toEqual([{ read: values.map((value) => value ?? null) }]);
    });
    await fc.assert(property, { numRuns: 200 });
  },
);
