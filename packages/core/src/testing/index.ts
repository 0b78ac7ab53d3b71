export {
  createRunningClock,
  createTestClock,
  createTestDatabase,
  type TestClock,
  withConnection,
} from "@querybell/test-database";
export { appError } from "./app-error.ts";
export { auditDuring } from "./audit-during.ts";
export { createAuthenticator } from "./authenticator.ts";
export type { AutomationFactories } from "./automation-factories.ts";
export { claimOneAutomationRun, claimOneQueryRun } from "./claim-one.ts";
export { dbTest } from "./db-test.ts";
export { createFactories, type Factories, type TestUser, testPassword } from "./factories.ts";
export { listenForNotices } from "./listen-for-notices.ts";
export { longestBlock, longestBlockOnce, maxBlockMs } from "./longest-block.ts";
export { notify } from "./notify.ts";
export { type OidcProvider, startOidcProvider } from "./oidc-provider.ts";
export { createParquetReader, type ParquetReader } from "./parquet-reader.ts";
export type { QueryFactories, TestEngine } from "./query-factories.ts";
export { queuedJobs } from "./queued-jobs.ts";
export { queuedMailsTo } from "./queued-mails.ts";
export { changeRun, execute, toCompleted, toFailed, toRunning } from "./run-states.ts";
export { runTest } from "./run-test.ts";
export { createSeededRandom, type SeededRandom } from "./seeded-random.ts";
export { listen } from "./tcp-server.ts";
export { nextTotpCode } from "./totp-code.ts";
