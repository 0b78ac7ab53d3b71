import type { Deps } from "@querybell/core";
import { createUser } from "@querybell/core/identity";
import { addMember } from "@querybell/core/members";
import { changeSettings, insertOrganization } from "@querybell/core/organizations";
import type { Tx } from "@querybell/db";
import { ensureDemoKey } from "./demo-key.ts";
import type { DemoOwner } from "./demo-owner.ts";
import { runDemoQueries } from "./run-demo-queries.ts";
import { type DemoAutomation, seedAutomation, triggerDemoAutomation } from "./seed-automation.ts";
import { seedEndpoints } from "./seed-endpoints.ts";
import { clockFrom, seedHistory } from "./seed-history.ts";
import { type DemoReceiver, seedReceiver } from "./seed-receiver.ts";
import { ensureSampleShop, findDemoQuery, seedShop } from "./seed-shop.ts";

/** Known to everybody who reads this: for a database on one's own machine, never for production. */
export const demoSignIn = { email: "demo@querybell.example", password: "querybell-demo" };

/** What to tell the person who started the demo. */
export interface Demo {
  /** The text of its API key, to be kept for the next start. */
  key: string;
  /** One of the demo's own queries, as it was made; undefined when they are all changed or gone. */
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
 * The demo organization, its owner, its shop, its automation with a history and its webhook endpoints, made once; its
 * key; and, at each start, a test event, a run of the automation and of the queries without a result, which begin as
 * soon as a worker runs. Nothing is made in a database that has other organizations.
 */
export async function seedDemo(
  deps: Deps,
  { duckdbFolder, receiverUrl, key: known }: DemoPlaces,
): Promise<Demo | undefined> {
  const now = deps.clock.now();
  // Older than its history, so that nothing in it comes before what it is about.
  const past = { ...deps, clock: clockFrom(new Date(now.getTime() - firstDaysAgo * 86_400_000), deps) };
  const seeded = await deps.db.transaction(async (tx) => {
    const found = await findDemoOwner(tx);
    // Everybody knows the demo's password: it has no place beside organizations that are somebody's own.
    if (!found && (await tx.organization.count()) > 0) return undefined;
    const owner = found ?? (await createDemo({ ...past, tx }));
    await seedShop({ ...past, tx }, owner);
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
  await runDemoQueries(deps, caller);
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
