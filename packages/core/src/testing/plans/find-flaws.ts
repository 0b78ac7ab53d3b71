import { planFlaws } from "./plan-flaws.ts";
import type { RecordedPlan } from "./record-plans.ts";

interface Search {
  plans: readonly RecordedPlan[];
  /** The tables that grow. */
  growing: readonly string[];
  /** Flaws that are accepted, each with a reason: a part of the statement, and a part of the flaw. */
  accepted?: readonly { statement: string; flaw: string; because: string }[];
}

/** A page, a batch of a purge and what belongs to it are far below this. */
const maxRows = 1_500;

/**
 * The flaws of the recorded plans, each once, with the beginning of the statement. Also lists accepted flaws
 * that no plan has, so that they are removed from the list.
 */
export function findFlaws({ plans, growing, accepted = [] }: Search): string[] {
  const limits = { growing: new Set(growing), maxRows };
  const used = new Set<object>();
  const found = new Set<string>();
  for (const { statement, plan } of plans) {
    for (const flaw of planFlaws(plan, limits)) {
      const reason = accepted.find((one) => statement.includes(one.statement) && flaw.includes(one.flaw));
      if (reason) used.add(reason);
      else found.add(`${flaw}: ${statement.replace(/\s+/g, " ").trim().slice(0, 300)}`);
    }
  }
  const unused = accepted
    .filter((one) => !used.has(one))
    .map((one) => `no plan ${one.flaw}: ${one.statement}`);
  return [...found, ...unused];
}
