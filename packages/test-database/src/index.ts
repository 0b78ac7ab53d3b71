export { withConnection } from "@querybell/embedded-postgres";
export { createRunningClock, createTestClock, type TestClock } from "./test-clock.ts";
export { createTestDatabase } from "./test-database.ts";
