import type { Deps } from "../deps.ts";
import { type Mail, openQueuedMail } from "../mail.ts";

/** The mails to an address that wait to be sent, oldest first. */
export async function queuedMailsTo(deps: Deps, address: string): Promise<Mail[]> {
  const { rows } = await deps.db.pool.query<{ sealed: string }>(`
    SELECT j.payload ->> 'sealed' AS sealed
    FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier = 'send_mail' ORDER BY j.id`);
  return rows.map(({ sealed }) => openQueuedMail(deps, sealed)).filter(({ to }) => to === address);
}
