export { withConnection } from "@querybell/embedded-postgres";
export { createTestDatabase } from "./global-postgres.ts";
export { createRunningClock, createTestClock, type TestClock } from "./test-clock.ts";
