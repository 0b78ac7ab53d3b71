import { dbTest, longestBlockOnce, maxBlockMs } from "@querybell/core/testing";
import { openProcess } from "@querybell/runtime";
import { expect, onTestFinished } from "vitest";
import { WorkerSettings } from "./env.ts";

dbTest("the first query of a started process does not block its event loop", async ({ settings, clock }) => {
  const { deps, close } = await openProcess({
    app: "worker",
    settings: WorkerSettings.parse({
      ...settings,
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      WEBHOOK_ALLOW_LOOPBACK: "1",
    }),
    clock,
    engineHosts: 1,
  });
  onTestFinished(close);
  const blockedMs = await longestBlockOnce(() => deps.db.prisma.organization.findMany({ take: 1 }));
  expect(blockedMs).toBeLessThan(maxBlockMs);
});
