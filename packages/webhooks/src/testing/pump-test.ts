import { openDatabase, Prisma } from "@querybell/db";
import { CreateWebhookEndpoint, newId } from "@querybell/domain";
import { createGuard } from "@querybell/guard";
import { createSealer, generateKey, parseKeyring } from "@querybell/sealing";
import { createTestClock, createTestDatabase } from "@querybell/test-database";
import { inject, test } from "vitest";
import { wakePumps } from "../deliveries/wake-pumps.ts";
import { createSecretText, sealHeaders, sealSecret } from "../secrets.ts";
import { createDeliveryTools } from "./delivery-tools.ts";

interface Owner {
  organizationId: string;
  userId: string;
}

/** A test with a database for its file, a clock that it moves, endpoints, and pumps that it starts. */
export const pumpTest = test
  .extend("postgres", { scope: "file" }, () => inject("postgres"))
  .extend("databaseUrl", { scope: "file" }, async ({ postgres }, { onCleanup }) => {
    const database = await createTestDatabase(postgres);
    onCleanup(() => database[Symbol.asyncDispose]());
    return database.url;
  })
  .extend("clock", { scope: "file" }, async ({ databaseUrl }) => {
    const clock = createTestClock(databaseUrl);
    // From here on the database's time stands still too.
    await clock.advance(0);
    return clock;
  })
  .extend("db", { scope: "file" }, ({ databaseUrl }, { onCleanup }) => {
    const db = openDatabase({ url: databaseUrl, poolSize: 10, onConnectionError: console.error });
    onCleanup(() => db.close());
    return db;
  })
  .extend("hooks", { scope: "file" }, ({ db, clock }) => {
    const guard = createGuard({ policy: { allowLoopback: true, allowNetworks: [] }, clock });
    const sealer = createSealer(parseKeyring(generateKey("test")));
    const { prisma } = db;

    /** A new organization with webhooks, and its owner. */
    const owner = async (): Promise<Owner> => {
      const [organizationId, userId] = [newId(clock), newId(clock)];
      const createdAt = clock.now();
      const email = `${userId}@example.test`;
      await prisma.user.create({
        data: { id: userId, name: "Owner", email, createdAt, updatedAt: createdAt },
      });
      await prisma.organization.create({
        data: {
          id: organizationId,
          name: "Organization",
          slug: organizationId,
          webhooksEnabled: true,
          restCompatibility: "live",
          createdAt,
        },
      });
      await prisma.member.create({ data: { organizationId, userId, role: "owner", createdAt } });
      return { organizationId, userId };
    };

    const insertSecret = async (endpointId: string, signsFrom: Date) => {
      const secret = createSecretText();
      const sealed = sealSecret(sealer, endpointId, secret);
      const data = { id: newId(clock), endpointId, sealed, createdAt: clock.now(), signsFrom };
      const { id } = await prisma.webhookSecret.create({ data });
      return { id, secret };
    };

    const endpoint = async (
      { organizationId, userId }: Owner,
      url: string,
      settings: Partial<CreateWebhookEndpoint> = {},
    ) => {
      const id = newId(clock);
      const { headers, filter, ...rest } = CreateWebhookEndpoint.parse({
        url,
        eventTypes: ["automation.run.completed", "automation.run.failed"],
        ...settings,
      });
      const now = clock.now();
      const sealedHeaders = sealHeaders(sealer, id, headers);
      await prisma.webhookEndpoint.create({
        data: {
          ...rest,
          filter: filter ?? Prisma.DbNull,
          id,
          organizationId,
          sealedHeaders,
          createdBy: userId,
          createdAt: now,
          updatedAt: now,
        },
      });
      return { id, secret: await insertSecret(id, now) };
    };

    const updateEndpoint = (id: string, data: { maxPerSecond?: number; sealedHeaders?: string }) =>
      db.transaction(async (tx) => {
        await tx.webhookEndpoint.update({ where: { id }, data: { ...data, revision: { increment: 1 } } });
        await wakePumps(tx, id);
      });

    const tools = createDeliveryTools({ db, clock, guard, sealer });
    return { ...tools, guard, sealer, owner, endpoint, insertSecret, updateEndpoint };
  });
