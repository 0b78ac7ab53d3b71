// Set-ups whose program is one file.
import { join } from "node:path";
import { transform } from "esbuild";
import { pinned } from "../kit.ts";
import { variants } from "../variants.ts";
import { type ProgramParts, programOf, type Setup } from "./setup.ts";

interface Script extends Pick<Setup, "name" | "traits" | "dependencies"> {
  recipe: ProgramParts;
  /** TypeScript as it is, or compiled to a module or to CommonJS. Default: as it is. */
  language?: "ts" | "esm" | "cjs";
  /** The program that runs the file, below the project's node_modules. Default: the Node that runs this. */
  runtime?: { program: string; args?: string[] };
}

/** Prints the port of a variable `server`, as Node's servers have it. */
const printPort = "(): void => console.log(JSON.stringify({ port: Object(server.address()).port }))";
const listening = `.listen(0, "127.0.0.1", function (this: unknown) {
  console.log(JSON.stringify({ port: Object(this).address().port }));
});`;

/** Passes an HTTP request to the recipe's export. The statements return the status and the body. */
export const serveOnNode = (statements: string) => `
  import { createServer } from "node:http";
  import { buffer } from "node:stream/consumers";
  async function answerTo(headers: Record<string, string>, body: Buffer): Promise<[number, string]> {
    ${statements}
  }
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    // As the platform does when a handler throws.
    const [status, answer] = await answerTo(request.headers as never, body).catch((): [number, string] => [500, ""]);
    response.writeHead(status).end(answer);
  }).listen(0, "127.0.0.1", ${printPort});`;

const express: ProgramParts = {
  heading: "Express",
  after: `const server = app.listen(0, "127.0.0.1", ${printPort});`,
};
const node: ProgramParts = { heading: "Node", replace: [".listen(3000);", listening] };
const fetchHandler = { heading: "Next" };

const scripts: Script[] = [
  { name: "express 4", traits: [], dependencies: { express: "4.22.3" }, recipe: express },
  {
    name: "express 4, CommonJS",
    traits: [],
    dependencies: { express: "4.22.3" },
    recipe: express,
    language: "cjs",
  },
  { name: "express 5", traits: [], dependencies: { express: pinned("express") }, recipe: express },
  {
    name: "fastify",
    traits: [],
    dependencies: { fastify: pinned("fastify") },
    recipe: {
      heading: "Fastify",
      after: `await app.listen({ host: "127.0.0.1", port: 0 });
        console.log(JSON.stringify({ port: Object(app.server.address()).port }));`,
    },
  },
  {
    name: "hono",
    traits: ["fetch"],
    dependencies: { hono: pinned("hono"), "@hono/node-server": pinned("@hono/node-server") },
    recipe: {
      heading: "Hono",
      before: `import { serve } from "@hono/node-server";`,
      after: `serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
        console.log(JSON.stringify({ port })));`,
    },
  },
  {
    name: "nestjs",
    traits: [],
    dependencies: {
      "@nestjs/common": pinned("@nestjs/common"),
      "@nestjs/core": pinned("@nestjs/core"),
      "@nestjs/platform-express": pinned("@nestjs/platform-express"),
      "reflect-metadata": pinned("reflect-metadata"),
      rxjs: pinned("rxjs"),
    },
    recipe: {
      heading: "NestJS",
      before: `import "reflect-metadata";
        import { Module } from "@nestjs/common";
        class AppModule {}
        Module({})(AppModule);`,
      after: `const server = await app.listen(0, "127.0.0.1"); (${printPort})();`,
    },
  },
  {
    name: "koa",
    traits: ["node-listener"],
    dependencies: { koa: pinned("koa") },
    recipe: { heading: "Koa", after: `const server = app.listen(0, "127.0.0.1", ${printPort});` },
  },
  { name: "node", traits: ["node-listener"], dependencies: {}, recipe: node },
  { name: "node, CommonJS", traits: ["node-listener"], dependencies: {}, recipe: node, language: "cjs" },
  ...["20", "22"].map(
    (version): Script => ({
      name: `node ${version}`,
      traits: ["node-listener"],
      dependencies: { node: pinned(`node-${version}`) },
      recipe: node,
      language: "esm",
      runtime: { program: "node/bin/node" },
    }),
  ),
  {
    name: "bun",
    traits: ["fetch"],
    dependencies: { bun: pinned("bun") },
    recipe: {
      ...fetchHandler,
      after: `const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: POST });
        console.log(JSON.stringify({ port: server.port }));`,
    },
    runtime: { program: ".bin/bun", args: ["run"] },
  },
  {
    name: "deno",
    traits: ["fetch"],
    dependencies: { deno: pinned("deno") },
    recipe: {
      ...fetchHandler,
      after: `const onListen = ({ port }: { port: number }) => console.log(JSON.stringify({ port }));
        Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, POST);`,
    },
    runtime: { program: ".bin/deno", args: ["run", "--no-remote", "--allow-all"] },
  },
  {
    name: "aws lambda",
    traits: ["fetch", "whole-bodies"],
    dependencies: {},
    recipe: {
      heading: "AWS Lambda",
      after: serveOnNode(`
        const event = { headers, body: body.toString("base64"), isBase64Encoded: true };
        const { statusCode, body: answer } = await onRequest(event);
        return [statusCode, answer];`),
    },
  },
];

export function scriptSetup({ recipe, language = "ts", runtime, ...setup }: Script): Setup {
  const extension = { ts: "ts", esm: "mjs", cjs: "cjs" }[language];
  return {
    ...setup,
    type: language === "cjs" ? "commonjs" : "module",
    async files() {
      const programs = variants.map(async (variant) => {
        const source = programOf(recipe, variant);
        const { code } =
          language === "ts" ? { code: source } : await transform(source, { loader: "ts", format: language });
        return [`${variant}.${extension}`, code] as const;
      });
      return Object.fromEntries(await Promise.all(programs));
    },
    start: (folder, variant) => ({
      program: runtime ? join(folder, "node_modules", runtime.program) : process.execPath,
      args: [...(runtime?.args ?? []), `${variant}.${extension}`],
      env: { DENO_DIR: join(folder, ".deno"), DENO_NO_UPDATE_CHECK: "1" },
    }),
  };
}

export const scriptSetups: Setup[] = scripts.map(scriptSetup);
