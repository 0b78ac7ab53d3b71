import { setTimeout as delay } from "node:timers/promises";
import { createRunningClock, type TestClock } from "@querybell/test-database";
import type { Installation } from "../webhooks/installation.ts";
import type { Fleet } from "./fleet.ts";
import type { SmallDisk } from "./small-disk.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** History is kept for 30 days: what the verdict looks for must still be there in the end. */
const maxAheadMs = 20 * dayMs;
const fullForMs = 6_000;

interface DisturbancesOptions {
  installation: Installation;
  fleet: Fleet;
  disk: SmallDisk;
}

/** Moves the clock of Postgres and of all processes. */
export function createTimeMachine({ installation, fleet }: Omit<DisturbancesOptions, "disk">) {
  const clock: TestClock = createRunningClock(installation.settings.DATABASE_URL);
  let aheadMs = 0;
  return {
    aheadMs: () => aheadMs,
    async jump(milliseconds: number): Promise<void> {
      aheadMs += milliseconds;
      await clock.advance(milliseconds);
      fleet.jumpTo(aheadMs);
    },
  };
}
export type TimeMachine = ReturnType<typeof createTimeMachine>;

/** Everything that may go wrong in a data centre, by its name. Each ends when the cause is gone. */
export function createDisturbances({
  installation,
  fleet,
  disk,
  ...rest
}: DisturbancesOptions & { time: TimeMachine }) {
  const { time } = rest;
  const forward = async (milliseconds: number) => {
    if (time.aheadMs() + milliseconds < maxAheadMs) await time.jump(milliseconds);
  };
  return {
    "kill an engine host": async () => void fleet.killEngineHost(),
    "kill a worker": () => fleet.killAndRestart("worker"),
    "clock an hour forward": () => forward(hourMs),
    "kill an api": () => fleet.killAndRestart("api"),
    "kill Postgres": async () => {
      await installation.killPostgres();
      await installation.restartPostgres();
    },
    "clock a minute back": () => time.jump(-minuteMs),
    "fill the disk": async () => {
      if (!disk.isOwn) return;
      await disk.fill();
      await delay(fullForMs);
      await disk.free();
      // Without room for its log, Postgres ends itself, and an operator starts it again.
      if (!installation.isPostgresRunning()) await installation.restartPostgres();
    },
    "clock 26 hours forward": () => forward(26 * hourMs),
    "restart Postgres": async () => {
      await installation.stopPostgres();
      await installation.restartPostgres();
    },
  } satisfies Record<string, () => Promise<void>>;
}
