export {
  createRunningClock,
  createTestClock,
  createTestDatabase,
  type TestClock,
  withConnection,
} from "@querybell/test-database";
export type { AutomationFactories } from "./automation-factories.ts";
export { claimOneAutomationRun, claimOneQueryRun } from "./claim-one.ts";
export { dbTest } from "./db-test.ts";
export { createFactories, type Factories, type TestUser, testPassword } from "./factories.ts";
export { hearNotices } from "./hear-notices.ts";
export { longestBlock } from "./longest-block.ts";
export { runTest } from "./run-test.ts";
export type { QueryFactories, TestEngine } from "./query-factories.ts";
