import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readReceiverSnippets } from "./receiver-snippets.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

test("there is a snippet for each framework of the kit, and it verifies with the kit", () => {
  const snippets = readReceiverSnippets(repository);
  expect(snippets.map(({ framework }) => framework)).toEqual([
    "Express",
    "Fastify",
    "Hono",
    "Next",
    "Node",
    "Anything else",
  ]);
  for (const { code } of snippets) {
    expect(code).toContain("@querybell/webhook-receiver");
    expect(code).toContain("process.env.WEBHOOK_SECRET");
  }
});
