import type { Deps } from "@querybell/core";
import { newId } from "@querybell/domain";

interface Numbered {
  /** Event n goes to the organization at index n modulo their count. */
  organizationIds: string[];
  automationIds?: string[] | undefined;
  /** Each number is emitted only once, even if it is requested again. */
  number: number;
}

/** Gives a body of about 1 KiB. */
export const benchSummary = 'Revenue of "Café Zürich" rose by 4.2 % to € 18,204. '.repeat(12);

/** An event of about 1 KiB, as an automation's run emits it. */
export function numberedEvent(
  { clock }: Pick<Deps, "clock">,
  { organizationIds, automationIds, number }: Numbered,
) {
  const index = number % organizationIds.length;
  const organizationId = organizationIds[index] ?? "";
  const data = {
    automationId: automationIds?.[index] ?? newId(clock),
    runId: newId(clock),
    summary: benchSummary,
    chatUrl: "http://localhost:4000/chats/1",
    imageUrl: null,
  };
  const occurrence = { type: "automation.run.completed" as const, data };
  return { organizationId, occurrence, cause: `bench:${number}` };
}
