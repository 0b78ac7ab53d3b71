import type { Tx } from "@querybell/db";
import { Scope } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { createUser } from "../identity/create-user.ts";
import { createKeyIn } from "../keys/create-key.ts";
import { addMember } from "../members/add-member.ts";
import { insertOrganization } from "../organizations/create-organization.ts";
import { changeSettings } from "../organizations/update-settings.ts";
import type { DemoOwner } from "./demo-owner.ts";
import { type DemoAutomation, seedAutomation } from "./seed-automation.ts";
import { type DemoReceiver, seedReceiver } from "./seed-receiver.ts";
import { ensureSampleShop, findDemoQuery, seedShop } from "./seed-shop.ts";

/** Known to everybody who reads this: for a database on one's own machine, never for production. */
export const demoSignIn = { email: "demo@querybell.example", password: "querybell-demo" };

const keyName = "Demo key of npm start";

/** What to tell the person who started the demo. */
export interface Demo {
  key: string;
  /** One of the demo's own queries, as it was made; undefined when they are all changed or gone. */
  queryId: string | undefined;
  automation: DemoAutomation | undefined;
  receiver: DemoReceiver;
}

interface DemoPlaces {
  duckdbFolder: string;
  receiverUrl: string;
}

/**
 * The demo organization, its owner, its shop, its automation and its webhook endpoint, made once, a new demo key
 * that replaces the last one, and a test event and a run of the automation that begin as soon as a worker runs.
 * Nothing is made in a database that has other organizations.
 */
export async function seedDemo(
  deps: Deps,
  { duckdbFolder, receiverUrl }: DemoPlaces,
): Promise<Demo | undefined> {
  const seeded = await deps.db.transaction(async (tx) => {
    const known = await findDemoOwner(tx);
    // Everybody knows the demo's password: it has no place beside organizations that are somebody's own.
    if (!known && (await tx.organization.count()) > 0) return undefined;
    const owner = known ?? (await createDemo({ ...deps, tx }));
    await seedShop({ ...deps, tx }, owner);
    await tx.apiKey.updateMany({
      where: { ...owner, name: keyName, revokedAt: null },
      data: { revokedAt: deps.clock.now() },
    });
    return {
      ...owner,
      automation: await seedAutomation({ ...deps, tx }, owner),
      receiver: await seedReceiver({ ...deps, tx }, owner, receiverUrl),
      ...(await createKeyIn({ ...deps, tx }, owner, { name: keyName, scopes: [...Scope.options] })),
    };
  });
  if (!seeded) return undefined;
  const { organizationId, key, automation, receiver } = seeded;
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  await ensureSampleShop(deps, duckdbFolder, slug);
  return { key, queryId: await findDemoQuery(deps, organizationId), automation, receiver };
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
