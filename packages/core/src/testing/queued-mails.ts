import type { Deps } from "../deps.ts";
import { type Mail, openQueuedMail } from "../mail.ts";
import { queuedJobs } from "./queued-jobs.ts";

/** The mails to an address that wait to be sent, oldest first. */
export async function queuedMailsTo(deps: Deps, address: string): Promise<Mail[]> {
  const queued = await queuedJobs(deps, "send_mail");
  return queued.map(({ sealed }) => openQueuedMail(deps, sealed)).filter(({ to }) => to === address);
}
