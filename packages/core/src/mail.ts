import { addJob, type Tx } from "@querybell/db";
import { z } from "zod";
import type { Deps } from "./deps.ts";

export const Mail = z.object({ to: z.string(), subject: z.string(), text: z.string() });
export type Mail = z.infer<typeof Mail>;

const purpose = "mail";

/**
 * Queues a mail in the transaction that causes it. Returns false if no email server is configured. Each sender (an
 * organization or a person) has its own serial queue, so that one sender cannot delay the mails of others.
 */
export async function queueMail(
  { tx, sealer, deployment }: { tx: Tx } & Pick<Deps, "sealer" | "deployment">,
  sender: string,
  mail: Mail,
): Promise<boolean> {
  if (!deployment.sendsMail) return false;
  const sealed = sealer.seal(purpose, Buffer.from(JSON.stringify(mail)));
  await addJob(tx, ["send_mail", { sealed }], { queue: `send_mail:${sender}` });
  return true;
}

export function openQueuedMail({ sealer }: Pick<Deps, "sealer">, sealed: string): Mail {
  return Mail.parse(JSON.parse(Buffer.from(sealer.open(purpose, sealed)).toString()));
}
