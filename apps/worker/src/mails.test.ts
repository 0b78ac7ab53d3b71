import { createInvitation } from "@querybell/core/invitations";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { startMailServer } from "./testing/mail-server.ts";
import { workerTest } from "./testing/worker-test.ts";
import { startWorker } from "./worker.ts";

workerTest(
  "mails of an organization are sent while another one floods the worker with mails",
  async ({ deps, make, settingsFor }) => {
    await using mailServer = await startMailServer();
    mailServer.pause();
    const [flood, quiet] = [await make.owner(), await make.owner()];
    for (let made = 0; made < 12; made++) {
      await createInvitation(deps, flood, { email: `flood-${made}@example.test`, role: "member" });
    }
    const settings = settingsFor({ SMTP_URL: mailServer.url });
    const worker = await startWorker({ deps, logger: pino({ level: "silent" }), settings });
    try {
      await createInvitation(deps, quiet, { email: "quiet@example.test", role: "member" });
      const sending = async () =>
        (
          await deps.db.pool.query(
            `SELECT count(*)::int FROM graphile_worker.jobs
             WHERE locked_at IS NOT NULL AND task_identifier = 'send_mail'`,
          )
        ).rows[0].count;
      await vi.waitUntil(async () => (await sending()) === 2, { timeout: 60_000 });
      mailServer.resume();
      const mails = [await mailServer.nextMail(), await mailServer.nextMail(), await mailServer.nextMail()];
      expect(mails.join()).toContain("To: quiet@example.test");
    } finally {
      await worker.stop();
    }
  },
);
