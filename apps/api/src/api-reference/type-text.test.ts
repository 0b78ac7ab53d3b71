import { expect, test } from "vitest";
import { z } from "zod";
import { inputSchema, outputSchema, typeText } from "./type-text.ts";

const textOf = (schema: z.ZodType) => typeText(inputSchema(schema));

test("a small object is on one line, and optional fields are marked", () => {
  expect(
    textOf(z.object({ id: z.uuid(), at: z.iso.datetime().nullable(), more: z.boolean().optional() })),
  ).toBe("{ id: uuid; at: time | null; more?: boolean }");
});

test("limits, defaults and descriptions are comments", () => {
  const schema = z.object({
    limit: z.int().min(1).max(1000).default(20),
    name: z.string().min(1).max(200).describe("What people call it"),
    tags: z.array(z.enum(["a", "b"])).max(5),
  });
  expect(textOf(schema)).toBe(
    [
      "{",
      "  limit?: integer; // 1 to 1,000; default 20",
      "  // What people call it",
      "  name: string; // 1 to 200 characters",
      '  tags: ("a" | "b")[]; // at most 5 entries',
      "}",
    ].join("\n"),
  );
});

test("a field with a default is optional in an input and required in an answer", () => {
  const schema = z.object({ port: z.int().default(5432) });
  expect(textOf(schema)).toMatch(/^ {2}port\?: integer; \/\/ default 5432$/m);
  expect(typeText(outputSchema(schema))).toBe("{ port: integer }");
});

test("long alternatives are on separate lines", () => {
  const schema = z.object({
    connection: z.discriminatedUnion("engine", [
      z.object({ engine: z.literal("file"), name: z.string().max(50) }),
      z.object({ engine: z.literal("server"), port: z.int() }),
    ]),
  });
  expect(textOf(schema)).toBe(
    [
      "{",
      "  connection:",
      "    | {",
      '        engine: "file";',
      "        name: string; // at most 50 characters",
      "      }",
      '    | { engine: "server"; port: integer };',
      "}",
    ].join("\n"),
  );
});

test("unknown and recursive types are json", () => {
  const schema = z.object({ values: z.record(z.string(), z.unknown()), detail: z.json() });
  expect(textOf(schema)).toMatch(/^\{\n? *values: \{ \[name: string\]: json \};/);
});

test("a union in a list is in parentheses", () => {
  expect(textOf(z.array(z.union([z.string(), z.number()])))).toBe("(string | number)[]");
  expect(textOf(z.array(z.string()))).toBe("string[]");
});
