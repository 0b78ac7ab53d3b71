import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import type { Receiver } from "../webhooks/receiver.ts";
import type { Calls } from "./calls.ts";
import type { TimeMachine } from "./disturbances.ts";
import type { World } from "./world.ts";

interface RestOptions {
  deps: Deps;
  calls: Calls;
  world: World;
  receiver: Receiver;
  time: TimeMachine;
}

const hourMs = 3_600_000;
const restWithinMs = 240_000;
const lookEveryMs = 3_000;

/**
 * The receivers recover, an admin enables their endpoints, and all waiting attempts become due. Resolves when nothing
 * is unfinished; if something stays so, the verdict names it.
 */
export async function bringToRest({ deps, calls, world, receiver, time }: RestOptions): Promise<void> {
  const { pool } = deps.db;
  receiver.heal();
  await calls.asOwner("POST", "/api/trpc/webhookEndpoints.update", {
    id: world.endpoints.refused,
    url: `${receiver.url}/refused`,
  });
  // No more runs of the schedule: time will jump.
  const { id } = world.automations.hourly;
  await calls.asOwner("POST", "/api/trpc/automations.update", { id, enabled: false });
  await time.jump(40 * hourMs);
  const deadline = performance.now() + restWithinMs;
  while (performance.now() < deadline) {
    for (const id of Object.values(world.endpoints)) {
      await calls.asOwner("POST", "/api/trpc/webhookEndpoints.enable", {
        id,
        held: "deliver",
        perSecond: 1000,
      });
    }
    // Nobody claims these any more.
    const { rows: abandoned } = await pool.query<{ id: string }>(
      "SELECT id FROM automation_runs WHERE completed_at IS NULL AND agent = 'external'",
    );
    for (const { id } of abandoned) await calls.post("automationRuns.stop", { id });
    const { rows } = await pool.query<{ unfinished: number }>(
      `SELECT ((SELECT count(*) FROM query_runs WHERE completed_at IS NULL)
         + (SELECT count(*) FROM automation_runs WHERE completed_at IS NULL)
         + (SELECT count(*) FROM webhook_deliveries WHERE state IN ('pending', 'held')))::int AS unfinished`,
    );
    if (rows[0]?.unfinished === 0) return;
    await delay(lookEveryMs);
  }
}
