// `npm test`: every check, then every test, and a last line with the counts.
import { join } from "node:path";
import { startTrinoControl } from "@querybell/engines/testing/trino-control";
import { startTestPostgres } from "@querybell/test-database/postgres";
import { type Reporter, startVitest } from "vitest/node";
import { usesTrino } from "../vitest.config.ts";
import { repository, runChecks } from "./checks.ts";

// Processes that tests start find their modules compiled.
process.env.NODE_COMPILE_CACHE ??= join(repository, "node_modules/.cache/node");
const { stop: stopTrino, ...control } = await startTrinoControl();
process.env.QUERYBELL_TEST_TRINO = JSON.stringify(control);
const askTrino = (path: string) => void fetch(`${control.url}${path}`, { method: "POST" }).catch(() => {});
// A cluster takes a minute to start, beside the checks and the first tests. Without one, its tests say why.
const isWholeRun = process.argv.length === 2;
if (isWholeRun && !control.missing) askTrino("/start");
const checks = await runChecks();

const postgres = await startTestPostgres();
process.env.QUERYBELL_TEST_POSTGRES_URL = postgres.url;
process.env.QUERYBELL_TEST_POSTGRES_SUPERUSER_URL = postgres.superuserUrl;
const trinoTests = new Set<string>();
const stopTrinoAfterItsTests: Reporter = {
  onTestRunStart(files) {
    for (const { moduleId } of files) if (usesTrino(moduleId)) trinoTests.add(moduleId);
  },
  onTestModuleEnd({ moduleId }) {
    if (trinoTests.delete(moduleId) && trinoTests.size === 0) askTrino("/stop");
  },
};
const vitest = await startVitest("test", process.argv.slice(2), {
  root: repository,
  watch: false,
  reporters: ["default", stopTrinoAfterItsTests],
});
const tests = [...vitest.state.getTestModules()].flatMap((module) => [...module.children.allTests()]);
const broken = vitest.state.getTestModules().filter((module) => !module.ok() && module.errors().length > 0);
const unhandled = vitest.state.getUnhandledErrors();
await vitest.close();
await postgres.stop();
await stopTrino();

const count = (state: string) => tests.filter((test) => test.result().state === state).length;
const passed = checks.passed + count("passed");
// A test file that does not load and an unhandled error are failures too.
const failed = checks.failed + count("failed") + count("pending") + broken.length + unhandled.length;
const skipped = count("skipped");
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 ? 0 : 1);
