import { triggerAutomation } from "@querybell/core/automations";
import { createDestination } from "@querybell/core/destinations";
import { getDelivery, sendTestEvent } from "@querybell/core/webhooks";
import { AutomationRecipients, systemClock } from "@querybell/domain";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { startMailServer } from "./testing/mail-server.ts";
import { workerTest } from "./testing/worker-test.ts";
import { startWorker } from "./worker.ts";

workerTest(
  "a mail destination gets its messages as text, HTML and CSV, and each recipient only their rows",
  async ({ deps, make, settingsFor }) => {
    await using mailServer = await startMailServer();
    const owner = await make.owner();
    const { organizationId: id } = owner;
    await deps.db.prisma.organization.update({ where: { id }, data: { webhooksEnabled: true } });
    const addresses = ["board@example.test", "sales@example.test"];
    const destination = await createDestination(deps, owner, {
      ...({ kind: "mail", name: "Board", addresses } as const),
      rowRecipients: { members: true, domains: [] },
    });
    const settings = settingsFor({ SMTP_URL: mailServer.url });
    // A destination gets one message a second.
    const worker = await startWorker({
      deps: { ...deps, clock: systemClock },
      ...{ logger: pino({ level: "silent" }), settings, pollEveryMs: 200 },
    });
    try {
      const delivery = await sendTestEvent(deps, owner, destination);
      const mail = await mailServer.nextMail();
      expect(mail).toContain("To: board@example.test, sales@example.test");
      expect(mail).toContain("Subject: A test from Querybell");
      expect(mail).toContain("Content-Type: multipart/alternative");
      expect(mail).toContain("<!DOCTYPE html>");
      await vi.waitUntil(async () => (await getDelivery(deps, owner, delivery)).state === "succeeded", {
        timeout: 60_000,
      });
      expect((await getDelivery(deps, owner, delivery)).attempts).toMatchObject([
        { outcome: "success", response: { status: 250, body: "250 kept" } },
      ]);

      const rows = `SELECT * FROM (VALUES ('${owner.email}', 'Acme'), ('other@else.test', 'Globex')) t(who, customer)`;
      const { shortId } = await make.reference(owner, rows, { title: "Customers" });
      const automation = await make.automation(owner, {
        references: [{ shortId }],
        destinations: [{ destinationId: destination.id, events: ["automation.run.completed"], csv: true }],
        recipients: AutomationRecipients.parse({
          ...{ shortId, column: "who", csv: true },
          to: { kind: "addresses", destinationId: destination.id },
        }),
      });
      await triggerAutomation(deps, owner, automation);
      const mails = [await mailServer.nextMail(), await mailServer.nextMail()];
      const toAll = mails.find((one) => one.includes("To: board@example.test, sales@example.test")) ?? "";
      const toOne = mails.find((one) => one.includes(`To: ${owner.email}`)) ?? "";
      expect(csvOf(toAll)).toBe(`who,customer\r\n${owner.email},Acme\r\nother@else.test,Globex\r\n`);
      expect(csvOf(toOne)).toBe(`who,customer\r\n${owner.email},Acme\r\n`);
      expect(toOne).not.toContain("Globex");
    } finally {
      await worker.stop();
    }
  },
);

/** The content of the file that a mail carries. */
function csvOf(mail: string): string {
  const [, file = ""] = /Content-Disposition: attachment.*?\n\n([A-Za-z0-9+/=\n]+)/s.exec(mail) ?? [];
  return Buffer.from(file, "base64").toString();
}
