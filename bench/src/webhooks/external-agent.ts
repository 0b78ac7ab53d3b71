import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@querybell/client";

interface AgentOptions {
  automationId: string;
  /** How many runs to complete. */
  runs: number;
  isOver: () => boolean;
  onCompleted: (runId: string) => void;
}

/**
 * Acts as an external agent: triggers, claims and completes runs over the API. It retries while the API is
 * unavailable, and counts only runs whose completion was confirmed.
 */
export async function runExternalAgent(
  client: Client,
  { automationId, runs, isOver, onCompleted }: AgentOptions,
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
      // The API was killed, or the claim expired meanwhile: the run is offered again.
      await delay(100);
    }
  }
}
