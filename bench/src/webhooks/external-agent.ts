import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@querybell/client";

interface Assignment {
  automationId: string;
  /** How many runs to complete. */
  runs: number;
  isOver: () => boolean;
  onCompleted: (runId: string) => void;
}

/**
 * An agent somewhere else that triggers, claims and completes runs over the API. When the API is gone it tries
 * again, and counts only what it was told is done.
 */
export async function workAsExternalAgent(
  client: Client,
  { automationId, runs, isOver, onCompleted }: Assignment,
): Promise<void> {
  for (let completed = 0; completed < runs && !isOver(); ) {
    try {
      const claim = await client.externalAgents.claim.mutate({ automationId, leaseSeconds: 5 });
      if (claim) {
        const { claimNumber } = claim;
        const summary = `Run ${completed} of ${runs} is done.`;
        const { id } = await client.externalAgents.complete.mutate({
          runId: claim.run.id,
          claimNumber,
          summary,
        });
        onCompleted(id);
        completed++;
      } else {
        await client.automations.trigger.mutate({ id: automationId });
      }
    } catch {
      // Killed, or a claim that ran out while it was: the run is offered again.
      await delay(100);
    }
  }
}
