import { expect, test } from "vitest";
import { readAnswer } from "./read-answer.ts";

test.each([
  ["text alone", "It counts rows.", { text: "It counts rows.", sql: null }],
  [
    "text and a statement",
    "It counts.\n```sql\nSELECT count(*)\nFROM t\n```\nThat is all.",
    { text: "It counts.\n\nThat is all.", sql: "SELECT count(*)\nFROM t" },
  ],
  ["a statement without an end", "```sql\nSELECT 1", { text: "", sql: "SELECT 1" }],
  ["an empty statement", "No.\n```sql\n```", { text: "No.", sql: null }],
  ["invisible characters", "a\u202eb\n```\nSELECT\u200b 1\n```", { text: "a b", sql: "SELECT  1" }],
])("an answer with %s", (_name, answer, read) => {
  expect(readAnswer(answer)).toEqual(read);
});

test("a long answer takes little time and is cut", () => {
  expect(readAnswer("```".repeat(100_000)).text.length).toBeLessThanOrEqual(20_000);
  expect(readAnswer(`\`\`\`sql\n${"x\n".repeat(50_000)}`).sql?.length).toBeLessThanOrEqual(20_000);
});
