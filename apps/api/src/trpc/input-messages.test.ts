import { inputMessages } from "@querybell/domain";
import { expect, test } from "vitest";
import { everyProcedure } from "../testing/every-procedure.ts";

const invalidValues = [
  undefined,
  null,
  -1,
  1.5,
  1e9,
  "",
  "x".repeat(300_000),
  true,
  [],
  ["x"],
  {},
  { x: [{}] },
];

/** The input with one part replaced by an invalid value, for every part and every such value. */
function* mutate(input: unknown): Generator<unknown> {
  yield* invalidValues;
  if (typeof input !== "object" || input === null) return;
  if (Array.isArray(input)) {
    for (const [at, part] of input.entries()) for (const other of mutate(part)) yield input.with(at, other);
    return;
  }
  yield { ...input, unknownField: 1 };
  for (const [name, part] of Object.entries(input)) {
    for (const other of mutate(part)) yield { ...input, [name]: other };
  }
}

// The default messages of zod.
const zodMessage = /^(Invalid|Too|Unrecognized|Expected)\b|expected|received|discriminator/;

test("no invalid input gets a default message of zod", () => {
  const unexplained = new Set<string>();
  for (const { path, inputs: schemas, samples } of everyProcedure) {
    const inputs = samples.flatMap(({ input }) => [...mutate(input)]);
    for (const schema of schemas) {
      const issues = inputs.flatMap((input) => schema.safeParse(input, inputMessages).error?.issues ?? []);
      for (const issue of issues) {
        if (zodMessage.test(issue.message))
          unexplained.add(`${path} ${issue.path.join(".")}: ${issue.message}`);
      }
    }
  }
  expect([...unexplained]).toEqual([]);
});

const choices = new Set(["invalid_union", "invalid_value"]);

test("a missing field is required", () => {
  const otherwise = new Set<string>();
  for (const { path, inputs: schemas, samples } of everyProcedure) {
    for (const { input } of samples) {
      for (const name of Object.keys(Object(input))) {
        const without = { ...Object(input), [name]: undefined };
        const issues = schemas.flatMap(
          (schema) => schema.safeParse(without, inputMessages).error?.issues ?? [],
        );
        for (const issue of issues) {
          // A missing choice gets the list of its values instead.
          if (issue.path.join() !== name || choices.has(issue.code)) continue;
          if (issue.message !== "is required") otherwise.add(`${path} ${name}: ${issue.message}`);
        }
      }
    }
  }
  expect([...otherwise]).toEqual([]);
});
