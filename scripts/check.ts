// `pnpm check`: everything that `npm test` checks before it runs the tests.
import { runChecks } from "./checks.ts";

const { failed } = await runChecks();
process.exitCode = failed === 0 ? 0 : 1;
