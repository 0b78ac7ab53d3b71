import { type Deps, emitEvent } from "@querybell/core";
import type { Tx } from "@querybell/db";
import { newId } from "@querybell/domain";

interface Emission {
  organizationId: string;
  /** The same number emits once only, however often it is asked for. */
  number: number;
}

const summary = 'Revenue of "Café Zürich" rose by 4.2 % to € 18,204. '.repeat(12);

/** An event of about 1 KiB, as an automation's run emits it. */
export function emitNumbered(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  { organizationId, number }: Emission,
): Promise<string | undefined> {
  const data = {
    automationId: newId(clock),
    runId: newId(clock),
    summary,
    chatUrl: "http://localhost:4000/chats/1",
    imageUrl: null,
  };
  const occurrence = { type: "automation.run.completed" as const, data };
  return emitEvent({ tx, clock }, { organizationId, occurrence, cause: `bench:${number}` });
}
