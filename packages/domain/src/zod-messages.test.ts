import { expect, test } from "vitest";
import { z } from "zod";
import { Id, inputMessages, ListQueries } from "./index.ts";

const messagesOf = (schema: z.ZodType, input: unknown) =>
  schema
    .safeParse(input, inputMessages)
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);

test("an invalid input gets messages that say what to do", () => {
  const input = { limit: "20", cursor: "", createdBy: 1, colour: "red" };
  expect(messagesOf(ListQueries, input)).toEqual([
    "limit: must be a number",
    "cursor: must have at least 1 character",
    "createdBy: must be a UUID",
    ': takes no "colour": leave it out, or correct its name',
  ]);
  expect(messagesOf(z.object({ id: Id }), {})).toEqual(["id: is required"]);
  expect(messagesOf(z.strictObject({}), { a: 1, b: 2 })).toEqual([
    ': takes no "a", "b": leave them out, or correct their names',
  ]);
});

test("zod itself stays as it is for other code in the process", () => {
  expect(z.config().customError).toBeUndefined();
  expect(z.string().safeParse(1).error?.issues[0]?.message).toMatch(/^Invalid input/);
});
