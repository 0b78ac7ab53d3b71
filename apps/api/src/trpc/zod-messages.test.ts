import { expect, test } from "vitest";
import { everyProcedure } from "../testing/every-procedure.ts";

const strange = [undefined, null, -1, 1.5, 1e9, "", "x".repeat(300_000), true, [], ["x"], {}, { x: [{}] }];

/** The input with one part of it replaced, for every part and every strange value. */
function* spoilt(input: unknown): Generator<unknown> {
  yield* strange;
  if (typeof input !== "object" || input === null) return;
  if (Array.isArray(input)) {
    for (const [at, part] of input.entries()) for (const other of spoilt(part)) yield input.with(at, other);
    return;
  }
  yield { ...input, stranger: 1 };
  for (const [name, part] of Object.entries(input)) {
    for (const other of spoilt(part)) yield { ...input, [name]: other };
  }
}

// What the validator says where nobody has found words.
const raw = /^(Invalid|Too|Unrecognized|Expected)\b|expected|received|discriminator/;

test("what is wrong with an input is said in words that say what to do", () => {
  const unexplained = new Set<string>();
  for (const { path, inputs: schemas, samples } of everyProcedure) {
    const inputs = samples.flatMap(({ input }) => [...spoilt(input)]);
    for (const schema of schemas) {
      const issues = inputs.flatMap((input) => schema.safeParse(input).error?.issues ?? []);
      for (const issue of issues) {
        if (raw.test(issue.message)) unexplained.add(`${path} ${issue.path.join(".")}: ${issue.message}`);
      }
    }
  }
  expect([...unexplained]).toEqual([]);
});

const choices = new Set(["invalid_union", "invalid_value"]);

test("what is missing is said to be required", () => {
  const otherwise = new Set<string>();
  for (const { path, inputs: schemas, samples } of everyProcedure) {
    for (const { input } of samples) {
      for (const name of Object.keys(Object(input))) {
        const without = { ...Object(input), [name]: undefined };
        const issues = schemas.flatMap((schema) => schema.safeParse(without).error?.issues ?? []);
        for (const issue of issues) {
          // Where there is a choice, it is told what there is to choose from.
          if (issue.path.join() !== name || choices.has(issue.code)) continue;
          if (issue.message !== "is required") otherwise.add(`${path} ${name}: ${issue.message}`);
        }
      }
    }
  }
  expect([...otherwise]).toEqual([]);
});
