import { inTransaction, type Tx } from "@querybell/db";
import { recipientEventType } from "@querybell/domain";
import { insertMessages, wakePumpsAfterCommit } from "@querybell/webhooks";
import type { UnfinishedRun } from "../runs/end-automation-run.ts";
import type { RecipientMessages } from "./make-messages.ts";

/**
 * Stores the messages of a run with their deliveries, and who got one, in the transaction that ends the run: only the newest
 * lease ends it, and once.
 */
export async function storeMessages(
  { tx }: { tx: Tx },
  { id: runId, organizationId }: Pick<UnfinishedRun, "id" | "organizationId">,
  { messages: { events, outcome }, at }: { messages: RecipientMessages; at: Date },
): Promise<void> {
  await tx.runRecipients.create({ data: { runId, organizationId, ...outcome } });
  if (events.length === 0) return;
  const woken = await insertMessages(inTransaction(tx), {
    ...{ organizationId, type: recipientEventType, at, messages: events },
    cause: `automation_recipients:${runId}`,
  });
  if (woken) wakePumpsAfterCommit(tx, woken);
}
