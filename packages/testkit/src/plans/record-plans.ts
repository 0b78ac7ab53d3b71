import type { Deps } from "@querybell/core";
import { z } from "zod";
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

/** Makes new sessions of the pool's database report the plans of all statements. Call it before any other statement. */
export async function reportPlans(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>("SELECT current_database() AS name");
  for (const [name, value] of Object.entries(settings)) {
    await pool.query(`ALTER DATABASE "${rows[0]?.name}" SET ${name} = '${value}'`);
  }
  // This session does not report.
  const client = await pool.connect();
  client.release(true);
}

/** Records the plans of the statements that run on the pool, from `start` on. */
export function recordPlans(pool: Pool) {
  const plans: RecordedPlan[] = [];
  const heard = new WeakSet<object>();
  let isRecording = false;
  pool.on("acquire", (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on("notice", ({ message }) => {
      const json = isRecording ? message?.split(" plan:\n")[1] : undefined;
      if (json === undefined) return;
      const explained = Explained.parse(JSON.parse(json));
      plans.push({ statement: explained["Query Text"], plan: explained.Plan });
    });
  });
  return {
    plans,
    start: () => {
      isRecording = true;
    },
  };
}
