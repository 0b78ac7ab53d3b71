import type { Deps } from "@querybell/core";
import { createUser } from "@querybell/core/identity";
import { addMember } from "@querybell/core/members";
import { changeSettings, insertOrganization } from "@querybell/core/organizations";
import { runSampleQueries } from "@querybell/core/sample-shop";
import type { Tx } from "@querybell/db";
import { type DemoOwner, ensureDemoKey } from "./demo-key.ts";
import {
  clockFrom,
  type DemoAutomation,
  seedAutomation,
  seedHistory,
  triggerDemoAutomation,
} from "./seed-automation.ts";
import { seedDashboard } from "./seed-dashboard.ts";
import { type DemoReceiver, seedEndpoints, seedReceiver } from "./seed-receiver.ts";
import { ensureSampleShop, findDemoQuery, seedShop } from "./seed-shop.ts";

/** Public: only for a database on a developer's machine, never for production. */
export const demoSignIn = { email: "demo@querybell.example", password: "querybell-demo" };

/** What the start prints for the user. */
export interface Demo {
  /** The text of its API key, which the next start needs. */
  key: string;
  /** An unchanged demo query; undefined if all of them were changed or deleted. */
  queryId: string | undefined;
  automation: DemoAutomation | undefined;
  receiver: DemoReceiver;
}

interface DemoPlaces {
  duckdbFolder: string;
  receiverUrl: string;
  /** The key of an earlier start. */
  key: string | undefined;
}

const firstDaysAgo = 8;

/**
 * Creates the demo once: organization, owner, shop, dashboard, automation with a history, webhook endpoints and key. At each start
 * it queues a test event, a run of the automation, and runs of the queries without a result; a worker then executes
 * them. Does nothing in a database that has other organizations.
 */
export async function seedDemo(
  deps: Deps,
  { duckdbFolder, receiverUrl, key: known }: DemoPlaces,
): Promise<Demo | undefined> {
  const now = deps.clock.now();
  // The objects are older than the runs in their history.
  const past = { ...deps, clock: clockFrom(new Date(now.getTime() - firstDaysAgo * 86_400_000), deps) };
  const seeded = await deps.db.transaction(async (tx) => {
    // Two starts with different folders may use one database.
    await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtext('querybell_seed_demo'))`;
    const found = await findDemoOwner(tx);
    // The demo's password is public, so the demo must not be added to a database that is in use.
    if (!found && (await tx.organization.count()) > 0) return undefined;
    const owner = found ?? (await createDemo({ ...past, tx }));
    await seedShop({ ...past, tx }, owner);
    await seedDashboard({ ...past, tx }, owner);
    return {
      automation: await seedAutomation({ ...past, tx }, owner, now),
      key: await ensureDemoKey({ ...deps, tx }, owner, known),
      receiver: await seedReceiver({ ...deps, tx }, owner, receiverUrl),
    };
  });
  if (!seeded) return undefined;
  const { key, automation, receiver } = seeded;
  const { caller } = key;
  const { organizationId: id } = caller;
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id } });
  await ensureSampleShop(deps, duckdbFolder, slug);
  if (automation && !automation.hasRuns) {
    await seedEndpoints(deps, caller);
    await seedHistory(deps, caller, automation.id);
  }
  await runSampleQueries(deps, caller);
  return {
    key: key.text,
    queryId: await findDemoQuery(deps, id),
    automation: automation && (await triggerDemoAutomation(deps, caller, automation.id)),
    receiver,
  };
}

async function findDemoOwner(tx: Tx): Promise<DemoOwner | null> {
  return tx.member.findFirst({
    where: { role: "owner", user: { email: demoSignIn.email } },
    select: { organizationId: true, userId: true },
    orderBy: { createdAt: "asc" },
  });
}

async function createDemo(deps: { tx: Tx } & Deps): Promise<DemoOwner> {
  const userId = await createUser(deps, { name: "Demo", ...demoSignIn, emailVerified: true });
  const { id: organizationId } = await insertOrganization(deps, null, { name: "Demo shop" });
  await addMember(deps, { organizationId, userId }, "owner");
  await changeSettings(deps, { organizationId, userId: null }, { webhooksEnabled: true });
  return { organizationId, userId };
}
