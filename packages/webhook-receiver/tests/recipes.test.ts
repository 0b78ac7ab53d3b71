// The README's recipes for frameworks that need no adapter of their own, run as they are written there.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { readmeExamples } from "./readme-examples.ts";
import { ReceivingProgram } from "./receiving-program.ts";
import { completedEvent, deliver, post, signedHeaders } from "./sender.ts";

const project = inject("frameworkProject");
const handler = "const handler = ({ id }: { id: string }) => console.log(JSON.stringify({ handled: id }));";
const telling = "(): void => console.log(JSON.stringify({ port: server.address().port }))";

interface Recipe {
  /** A line that only this example has. */
  mark: string;
  /** What the example leaves to the reader, before it and after it. */
  before?: string;
  after: string;
}

/** Hands an HTTP request to what the example exports, in the form in which the platform does. */
const serving = (call: string) => `
  import { createServer } from "node:http";
  import { buffer } from "node:stream/consumers";
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    ${call}
  }).listen(0, "127.0.0.1", ${telling});`;

const recipes: Record<string, Recipe> = {
  Koa: {
    mark: 'from "koa"',
    after: `const server = app.listen(0, "127.0.0.1", ${telling});`,
  },
  NestJS: {
    mark: 'from "@nestjs/core"',
    before: `import "reflect-metadata"; import { Module } from "@nestjs/common"; class AppModule {} Module({})(AppModule);`,
    after: `const server = await app.listen(0, "127.0.0.1"); (${telling})();`,
  },
  "AWS Lambda": {
    mark: "isBase64Encoded",
    after: serving(`
      const event = { headers: request.headers, body: body.toString("base64"), isBase64Encoded: true };
      const { statusCode, body: answer } = await onRequest(event as never);
      response.writeHead(statusCode).end(answer);`),
  },
  "Cloudflare Workers": {
    mark: "env: { WEBHOOK_SECRET: string }",
    after: serving(`
      const { default: worker } = await import(import.meta.url);
      const given = new Request("http://localhost/", { method: "POST", headers: request.headers as never, body });
      const answer = await worker.fetch(given, process.env, { waitUntil: () => {} });
      response.writeHead(answer.status).end(await answer.text());`),
  },
};

describe.each(Object.entries(recipes))("the README's recipe for %s", (name, { mark, before = "", after }) => {
  test("handles what is genuine and refuses what is not", async () => {
    const [code = ""] = (await readmeExamples()).filter((example) => example.includes(mark));
    const file = `recipe-${name.toLowerCase().replaceAll(" ", "-")}.ts`;
    await writeFile(join(project, file), [before, handler, code, after].join("\n"));
    await using program = await ReceivingProgram.start([file], { cwd: project });
    const url = `${program.url}/webhooks`;
    const event = completedEvent();
    expect(await deliver(url, event, program.secret)).toMatchObject({ status: 200 });
    await program.says({ handled: event.id });
    const headers = signedHeaders({ secret: program.secret, body: "{}" });
    expect(await post(url, headers, "{ }")).toMatchObject({
      status: 400,
      body: expect.stringContaining("signature_mismatch"),
    });
  });
});
