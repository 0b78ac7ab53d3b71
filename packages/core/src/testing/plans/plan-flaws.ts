import { z } from "zod";

const PlanNode = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Actual Rows": z.number().default(0),
  "Actual Loops": z.number().default(0),
  "Rows Removed by Filter": z.number().default(0),
  "Rows Removed by Index Recheck": z.number().default(0),
});

/** A node of a plan as EXPLAIN (ANALYZE, FORMAT JSON) writes it. */
export type Plan = z.infer<typeof PlanNode> & { Plans?: Plan[] | undefined };
export const Plan: z.ZodType<Plan> = PlanNode.extend({
  get Plans() {
    return z.array(Plan).optional();
  },
});

interface Limits {
  /** The tables that grow, and their partitions. */
  growing: ReadonlySet<string>;
  /** The most rows of such a table that one statement may read or sort. */
  maxRows: number;
}

/**
 * The parts of a plan that get slower as a table grows: sequential scans, and reading or sorting many rows.
 */
export function planFlaws(plan: Plan, limits: Limits): string[] {
  const { "Node Type": type, "Relation Name": table } = plan;
  const rows = Math.round(
    (plan["Actual Rows"] + plan["Rows Removed by Filter"] + plan["Rows Removed by Index Recheck"]) *
      plan["Actual Loops"],
  );
  const flaws = (plan.Plans ?? []).flatMap((child) => planFlaws(child, limits));
  if (table && limits.growing.has(table) && type !== "ModifyTable") {
    if (type === "Seq Scan") flaws.push(`reads ${table} from end to end`);
    else if (rows > limits.maxRows) flaws.push(`reads ${rows} rows of ${table} (${type})`);
  }
  const sorted = plan.Plans?.[0];
  if (type === "Sort" && sorted && sorted["Actual Rows"] > limits.maxRows) {
    flaws.push(`sorts ${sorted["Actual Rows"]} rows`);
  }
  return flaws;
}
