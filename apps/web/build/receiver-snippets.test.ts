import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readReceiverSnippets } from "./receiver-snippets.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

test("there is a snippet for each framework of the kit, and it verifies with the kit", () => {
  const snippets = readReceiverSnippets(repository);
  const frameworks = snippets.map(({ framework }) => framework);
  expect(frameworks).toEqual(expect.arrayContaining(["Express", "Fastify", "Hono", "Next", "Node"]));
  for (const { code } of snippets) {
    expect(code).toContain("@querybell/webhook-receiver");
    expect(code).toContain("WEBHOOK_SECRET");
  }
});
