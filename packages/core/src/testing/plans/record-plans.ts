import { withConnection } from "@querybell/test-database";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { Plan } from "./plan-flaws.ts";

type Pool = Deps["db"]["pool"];

export interface RecordedPlan {
  statement: string;
  plan: Plan;
}

const Explained = z.object({ "Query Text": z.string(), Plan });

// Each session reports the plan of each statement to its client, also of statements inside functions, triggers and
// foreign keys.
const settings = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
};

/** Makes new sessions of a database report the plans of all statements. Call it before the pool's first statement. */
export async function reportPlans(superuserUrl: string): Promise<void> {
  const database = new URL(superuserUrl).pathname.slice(1);
  await withConnection(superuserUrl, async (client) => {
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`ALTER DATABASE "${database}" SET ${name} = '${value}'`);
    }
  });
}

/** Records the plans of the statements that run on the pool, with narrowed rights too, from `start` on. */
export function recordPlans(pool: Pool) {
  const plans: RecordedPlan[] = [];
  const heard = new WeakSet<object>();
  let isRecording = false;
  for (const connections of [pool, pool.narrowed]) {
    connections.on("acquire", (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      client.on("notice", ({ message }) => {
        const json = isRecording ? message?.split(" plan:\n")[1] : undefined;
        if (json === undefined) return;
        const explained = Explained.parse(JSON.parse(json));
        plans.push({ statement: explained["Query Text"], plan: explained.Plan });
      });
    });
  }
  return {
    plans,
    start: () => {
      isRecording = true;
    },
  };
}
