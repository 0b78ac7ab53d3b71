import { createDestination } from "@querybell/core/destinations";
import { getDelivery, sendTestEvent } from "@querybell/core/webhooks";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { startMailServer } from "./testing/mail-server.ts";
import { workerTest } from "./testing/worker-test.ts";
import { startWorker } from "./worker.ts";

workerTest("a mail destination gets its messages as text and HTML", async ({ deps, make, settingsFor }) => {
  await using mailServer = await startMailServer();
  const owner = await make.owner();
  const { organizationId: id } = owner;
  await deps.db.prisma.organization.update({ where: { id }, data: { webhooksEnabled: true } });
  const addresses = ["board@example.test", "sales@example.test"];
  const destination = await createDestination(deps, owner, { kind: "mail", name: "Board", addresses });
  const settings = settingsFor({ SMTP_URL: mailServer.url });
  const worker = await startWorker({ deps, logger: pino({ level: "silent" }), settings });
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
  } finally {
    await worker.stop();
  }
});
