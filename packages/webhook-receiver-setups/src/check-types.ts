// Compiles the README's examples, and a program over the whole interface, with each supported compiler.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pinned } from "./kit.ts";
import { createProject, type Files, runIn, writeFiles } from "./project.ts";
import { examples } from "./readme.ts";
import type { Outcome } from "./run-cases.ts";

type Resolution = "node10" | "node16" | "nodenext" | "bundler";

interface Compiler {
  version: string;
  resolutions: Resolution[];
}

/** The oldest version that the README names, the last one of the old compiler, and this workspace's. */
export const compilers: Compiler[] = [
  { version: "5.7.3", resolutions: ["node10", "node16", "bundler"] },
  { version: "6.0.3", resolutions: ["node10", "node16", "nodenext", "bundler"] },
  // This version no longer supports node10.
  { version: pinned("typescript"), resolutions: ["node16", "nodenext", "bundler"] },
];

const nameOf = ({ version }: Compiler) => `typescript-${version}`;

/** What the examples import. */
const frameworks = [
  "@nestjs/common",
  "@nestjs/core",
  "@nestjs/platform-express",
  "@types/express",
  "@types/koa",
  "@types/node",
  "@types/pg",
  "@types/react",
  "express",
  "fastify",
  "hono",
  "ioredis",
  "koa",
  "next",
  "pg",
  "react",
  "react-dom",
  "reflect-metadata",
  "rxjs",
];

const exampleFile = (index: number) => `readme/example-${index + 1}.ts`;

/** Next has no `exports`, so its own projects resolve modules as bundlers do. */
const examplesForNext = examples.flatMap((code, index) =>
  code.includes('from "next/') ? [exampleFile(index)] : [],
);

/** The README's examples, with declarations of the names that they leave to the reader. */
export const exampleFiles = (): Files => ({
  "readme/world.d.ts": `declare global {
    const receiver: import("@querybell/webhook-receiver").Receiver;
    const handler: import("@querybell/webhook-receiver").DeliveryHandler;
    const AppModule: new () => object;
  }
  export {};`,
  ...Object.fromEntries(examples.map((code, index) => [exampleFile(index), `${code}\nexport {};`])),
});

/** Makes the project that `checkTypes` needs. */
export async function createTypesProject(folder: string, tarball: string): Promise<void> {
  const versions = compilers.map((compiler) => [nameOf(compiler), `npm:typescript@${compiler.version}`]);
  const dependencies = Object.fromEntries([...frameworks.map((name) => [name, pinned(name)]), ...versions]);
  await createProject({ folder, type: "module", dependencies, tarball });
  const program = await readFile(join(import.meta.dirname, "../tests/consumers/types/esm.mts"), "utf8");
  await writeFiles(folder, { ...exampleFiles(), "types/esm.mts": program });
}

/** Compiles everything under each way of resolving modules that the compiler has. */
export async function checkTypes(compiler: Compiler, folder: string): Promise<Outcome> {
  const tsc = join(folder, "node_modules", nameOf(compiler), "bin/tsc");
  const failures: string[] = [];
  for (const resolution of compiler.resolutions) {
    for (const [include, skipLibCheck] of [
      ["readme", true],
      // Here the kit's own declarations are checked too, and those of Node.
      ["types", false],
    ] as const) {
      const config = `tsconfig.${resolution}.json`;
      const compilerOptions = { ...optionsFor(resolution, compiler), skipLibCheck };
      const exclude = resolution === "node16" || resolution === "nodenext" ? examplesForNext : [];
      await writeFiles(folder, {
        [config]: JSON.stringify({ compilerOptions, include: [include], exclude }),
      });
      await runIn(folder, process.execPath, [tsc, "-p", config]).catch((error) => {
        failures.push(`${include} under ${resolution}: ${error.message}`);
      });
    }
  }
  const total = compiler.resolutions.length * 2;
  return { passed: total - failures.length, total, failures };
}

const optionsFor = (moduleResolution: Resolution, { version }: Compiler) => ({
  lib: ["es2024", "dom", "dom.iterable"],
  types: ["node"],
  target: "es2024",
  module: { node10: "esnext", bundler: "esnext", node16: "node16", nodenext: "nodenext" }[moduleResolution],
  moduleResolution,
  esModuleInterop: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  ...(moduleResolution === "node10" && version.startsWith("6.") && { ignoreDeprecations: "6.0" }),
});
