import { openDatabase } from "@querybell/db";
import { createGuard, publicOnly } from "@querybell/guard";
import { expect, test } from "vitest";
import { createSender } from "../send/sender.ts";
import { startSession } from "./session.ts";

test("a session that cannot register leaves no timer running", async () => {
  const clock = { now: () => new Date() };
  const onError = console.error;
  const db = openDatabase({
    url: "postgresql://127.0.0.1:1/nowhere",
    poolSize: 1,
    onConnectionError: onError,
  });
  const guard = createGuard({ policy: publicOnly, clock });
  const sender = createSender({ guard, clock });
  const sealer = { open: () => expect.unreachable() };
  const options = { pool: db.pool, notices: db.notices, clock, guard, sender, sealer, onError };
  const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

  const attempts = 5;
  const before = countTimers();
  for (let attempt = 0; attempt < attempts; attempt++) {
    await expect(startSession(options, () => {})).rejects.toThrow();
  }
  // The test runner has its own timers, which come and go.
  expect(countTimers()).toBeLessThan(before + attempts);
  sender.close();
  await db.close();
});
