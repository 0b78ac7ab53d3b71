import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { exampleFiles } from "../src/check-types.ts";
import { writeFiles } from "../src/project.ts";
import { examples } from "../src/readme.ts";

const run = promisify(execFile);
const project = inject("frameworkProject");
const tsc = join(import.meta.dirname, "../node_modules/.bin/tsc");
const options = {
  lib: ["es2024", "dom", "dom.iterable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** Returns the compiler's errors. */
async function complaints(name: string, config: object): Promise<string> {
  await writeFile(join(project, `tsconfig.${name}.json`), JSON.stringify(config));
  const { stdout } = await run(tsc, ["-p", `tsconfig.${name}.json`], { cwd: project }).catch(
    (error) => error,
  );
  return stdout;
}

// `pnpm kit:setups` has older compilers and the resolutions that only they need.
describe.each([
  ["nodenext", "nodenext", ["types/*"]],
  ["bundler", "esnext", ["types/*.mts"]],
])("under %s resolution", (moduleResolution, module, include) => {
  const compilerOptions = { ...options, target: "es2024", module, moduleResolution };

  test("the kit's own declarations are right, and so is what they promise", async () => {
    expect(await complaints(moduleResolution, { compilerOptions, include })).toBe("");
  });

  test("what is not for Node alone needs neither the DOM's types nor Node's", async () => {
    const bare = { ...compilerOptions, target: "es2022", lib: ["es2022"], types: [], skipLibCheck: false };
    const config = { compilerOptions: bare, include: ["bare"] };
    expect(await complaints(`${moduleResolution}-bare`, config)).toBe("");
  });

  test("the adapters fit the frameworks", async () => {
    const files = ["express.ts", "fastify.ts", "hono.ts", "node.ts"];
    const config = { compilerOptions: { ...compilerOptions, skipLibCheck: true }, files };
    expect(await complaints(`${moduleResolution}-frameworks`, config)).toBe("");
  });
});

test("verifySync is offered by the Node build, and by /node wherever the build is not known", async () => {
  const program = (path: string) => `
    import { createReceiver } from "@querybell/webhook-receiver${path}";
    createReceiver({ secrets: "" }).verifySync({ headers: {}, body: "" });`;
  await writeFile(join(project, "main.mts"), program(""));
  await writeFile(join(project, "node.mts"), program("/node"));
  const under = (module: string, moduleResolution: string, file: string) =>
    complaints(`${module}-${file}`, {
      compilerOptions: { ...options, module, moduleResolution },
      files: [file],
    });
  const [node, explicit, unknown] = await Promise.all([
    under("nodenext", "nodenext", "main.mts"),
    under("esnext", "bundler", "node.mts"),
    under("esnext", "bundler", "main.mts"),
  ]);
  expect(node).toBe("");
  expect(explicit).toBe("");
  expect(unknown).toContain("'verifySync' does not exist");
});

test("every example in the README compiles", async () => {
  expect(examples.length).toBeGreaterThan(8);
  await writeFiles(project, exampleFiles());
  const compilerOptions = {
    ...options,
    target: "es2024",
    module: "esnext",
    moduleResolution: "bundler",
    skipLibCheck: true,
  };
  expect(await complaints("readme", { compilerOptions, include: ["readme"] })).toBe("");
});
