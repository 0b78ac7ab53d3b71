// The README's recipes that need nothing but Node and what the workspace pins. `pnpm kit:setups` runs all of them.
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { writeFiles } from "../src/project.ts";
import { runCases } from "../src/run-cases.ts";
import { scriptSetup, scriptSetups, serveOnNode } from "../src/setups/script-setups.ts";

const names = ["express 5", "fastify", "hono", "nestjs", "koa", "node", "node, CommonJS", "aws lambda"];

/** workerd itself is not among what the workspace pins. */
const worker = scriptSetup({
  name: "cloudflare workers, on Node",
  traits: ["fetch", "whole-bodies"],
  dependencies: {},
  recipe: {
    heading: "Cloudflare Workers",
    after: serveOnNode(`
      const { default: worker } = await import(import.meta.url);
      const request = new Request("http://localhost/", { method: "POST", headers, body: new Uint8Array(body) });
      const answer = await worker.fetch(request, process.env, { waitUntil: () => {} });
      return [answer.status, await answer.text()];`),
  },
});

test.each([...scriptSetups.filter(({ name }) => names.includes(name)), worker])(
  "the README's recipe for $name answers every case",
  async (setup) => {
    const folder = join(inject("frameworkProject"), setup.name.replaceAll(/\W+/g, "-"));
    await writeFiles(folder, await setup.files());
    const { failures, passed, total } = await runCases(setup, folder);
    expect(failures).toEqual([]);
    expect(passed).toBe(total);
  },
);
