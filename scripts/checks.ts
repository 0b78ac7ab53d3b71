import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { styleText } from "node:util";

export const repository = resolve(import.meta.dirname, "..");

/** The checks that run before the tests, all at once, in the order in which they are shown. */
const checks: { title: string; command: [string, ...string[]] }[] = [
  { title: "format and lint", command: ["biome", "ci", "--colors=off", "--error-on-warnings", "."] },
  { title: "import directions", command: ["node", "scripts/check-imports.ts"] },
  { title: "regular expressions", command: ["node", "scripts/check-patterns.ts"] },
  { title: "package manifests", command: ["sherif"] },
  { title: "types", command: ["turbo", "run", "typecheck", "--output-logs=errors-only"] },
  { title: "unused code and dependencies", command: ["knip"] },
  { title: "generated documents: settings", command: ["node", "scripts/settings-table.ts", "--check"] },
  { title: "generated documents: OpenAPI", command: ["node", "scripts/openapi.ts", "--check"] },
  { title: "generated documents: reference", command: ["node", "scripts/procedure-reference.ts", "--check"] },
];

/** Runs every check, prints the output of those that fail, and returns their number. */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  const running = checks.map(({ title, command }) => ({ title, ended: run(command) }));
  let failed = 0;
  for (const { title, ended } of running) {
    const { code, output } = await ended;
    const mark = code === 0 ? styleText("green", "✓") : styleText("red", "✗");
    console.log(`${mark} ${title}`);
    if (code !== 0) {
      failed++;
      console.log(output);
    }
  }
  return { passed: checks.length - failed, failed };
}

function run([program, ...args]: [string, ...string[]]): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  return new Promise((done) => {
    child.once("error", (error) => done({ code: 1, output: error.message }));
    child.once("close", (code) => done({ code: code ?? 1, output: Buffer.concat(output).toString() }));
  });
}
