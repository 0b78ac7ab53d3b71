import { vi } from "vitest";
import { demoSignIn, seedDemo } from "../demo/seed-demo.ts";
import { startKitReceiver } from "./kit-receiver.ts";
import { startWalkWorker, walkTest } from "./walk-test.ts";

const unfinished = { status: { in: ["pending" as const, "running" as const] } };

/** A walk through the demo of `npm start`, after all the runs of its start have ended. */
export const demoWalk = walkTest
  .extend("deploymentAdmins", { scope: "file" }, () => demoSignIn.email)
  .extend("demoReceiver", { scope: "file" }, async ({ clock }, { onCleanup }) => {
    const receiver = await startKitReceiver(clock);
    onCleanup(receiver.stop);
    return receiver;
  })
  .extend("seeded", { scope: "file" }, async ({ deps, duckdbFolder, demoReceiver }) => {
    const places = { duckdbFolder, receiverUrl: demoReceiver.url, key: undefined };
    const seeded = await seedDemo(deps, places);
    if (!seeded) throw new Error("The database is not empty.");
    demoReceiver.useSecrets(...seeded.receiver.secrets);
    return seeded;
  })
  // After `seeded`: the demo's history must be created while no worker runs.
  .extend("demoWorker", { scope: "file" }, async ({ deps, settings, seeded: _ }, { onCleanup }) => {
    const worker = await startWalkWorker(deps, settings);
    onCleanup(() => worker.stop());
    return worker;
  })
  /** The demo's sign-in, and another member of its organization. */
  .extend("demo", { scope: "file" }, async ({ deps: { db }, make, demoWorker: _ }) => {
    const { organizationId } = await db.prisma.member.findFirstOrThrow();
    const colleague = await make.member(organizationId);
    const countUnfinished = async () =>
      (await db.prisma.queryRun.count({ where: unfinished })) +
      (await db.prisma.automationRun.count({ where: unfinished }));
    await vi.waitUntil(async () => (await countUnfinished()) === 0, { timeout: 180_000 });
    return { ...demoSignIn, organizationId, colleague };
  });
