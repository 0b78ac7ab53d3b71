// `npm test`: every check, then every test, and a last line with the counts.
import { startTrinoControl } from "@querybell/engines/testing/trino-control";
import { startTestPostgres } from "@querybell/testkit/postgres";
import { startVitest } from "vitest/node";
import { repository, runChecks } from "./checks.ts";

const { stop: stopTrino, ...control } = await startTrinoControl();
process.env.QUERYBELL_TEST_TRINO = JSON.stringify(control);
// A cluster takes a minute to start, beside the checks and the first tests. Without one, its tests say why.
const isWholeRun = process.argv.length === 2;
if (isWholeRun && !control.missing) void fetch(`${control.url}/start`, { method: "POST" }).catch(() => {});
const checks = await runChecks();

const postgres = await startTestPostgres();
process.env.QUERYBELL_TEST_POSTGRES_URL = postgres.url;
const vitest = await startVitest("test", process.argv.slice(2), { root: repository, watch: false });
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
