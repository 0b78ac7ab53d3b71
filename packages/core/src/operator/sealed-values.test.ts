import { addJob } from "@querybell/db";
import { newId } from "@querybell/domain";
import { generateKey } from "@querybell/sealing";
import { sealSecret } from "@querybell/webhooks";
import { expect } from "vitest";
import { sealTotpSecret } from "../identity/factors.ts";
import { queueMail } from "../mail.ts";
import { updateModel } from "../models/index.ts";
import { closeDeps, openDeps } from "../open-deps.ts";
import { sealClientSecret } from "../single-sign-on/providers.ts";
import { deliveryTest } from "../testing/delivery-test.ts";
import { checkSealedValues, findKeyFaults, resealValues } from "./index.ts";

/** They end when the first key changes, because it signs the cookies of sessions. */
const endedByRotation = ["sessions.sealed_sign_out_url", "sign_in_requests.sealed"];

const sealedTest = deliveryTest
  /** An installation of the same database with other keys. */
  .extend("openWith", { scope: "file" }, ({ settings, clock }, { onCleanup }) => {
    const opened: ReturnType<typeof openDeps>[] = [];
    onCleanup(async () => {
      for (const deps of opened) await closeDeps(deps);
    });
    return (keys: string) => {
      const deps = openDeps({ settings: { ...settings, SEALING_KEYS: keys }, clock, onError: console.error });
      opened.push(deps);
      return deps;
    };
  })
  /** An organization with a secret of every kind. */
  .extend("makeSecrets", { scope: "file" }, ({ deps, hooks, make, clock }) => async () => {
    const owner = await hooks.owner();
    const { userId, organizationId } = owner;
    await hooks.endpoint(owner, "http://127.0.0.1:1/", { headers: { "x-token": "secret" } });
    await make.query(owner, "SELECT 1", { engine: "postgres" });
    const connection = { url: "http://127.0.0.1:1/v1", name: "model", apiKey: "secret" };
    await updateModel(deps, owner, { connection, monthlyTokens: 1000, consent: true });
    const [now, id] = [clock.now(), newId(clock)];
    await deps.db.prisma.totpFactor.create({
      data: {
        userId,
        sealedSecret: sealTotpSecret(deps, userId, Buffer.alloc(20)),
        lastUsedStep: 0,
        createdAt: now,
      },
    });
    await deps.db.prisma.identityProvider.create({
      data: {
        ...{ id, organizationId, issuer: "https://id.example", clientId: "client", groupsClaim: "groups" },
        ...{ sealedClientSecret: sealClientSecret(deps, id, "secret"), createdAt: now, updatedAt: now },
      },
    });
    const mail = { to: owner.email, subject: "Subject", text: "Text" };
    await deps.db.transaction((tx) => queueMail({ ...deps, tx }, userId, mail));
    const sealedSecret = sealSecret(deps.sealer, id, "whsec_secret");
    const ended = { endpointId: id, reason: "admin", sealedSecret } as const;
    await deps.db.transaction((tx) => addJob(tx, ["tell_subscription_ended", ended]));
    return owner;
  });

sealedTest(
  "after a new key was put in front, everything is sealed with it again, and the old key is not needed",
  async ({ deps, makeSecrets, sealingKeys, openWith }) => {
    await makeSecrets();
    const newKey = generateKey("new");
    const rotated = openWith(`${newKey},${sealingKeys}`);

    const results = await resealValues(rotated, rotated.db.pool);
    for (const { kind, resealed } of results) expect(resealed, kind.many).toBeGreaterThan(0);
    const { rows: columns } = await deps.db.pool.query<{ table: string; column: string }>(`
      SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name LIKE '%sealed%'`);
    for (const { table, column } of columns) {
      if (endedByRotation.includes(`${table}.${column}`)) continue;
      const { rows } = await deps.db.pool.query(
        `SELECT count(*) FILTER (WHERE "${column}" LIKE 'new.%') > 0 AS "hasNew",
          count(*) FILTER (WHERE "${column}" NOT LIKE 'new.%') > 0 AS "hasOld" FROM "${table}"`,
      );
      expect(rows, `${table}.${column}`).toEqual([{ hasNew: true, hasOld: false }]);
    }

    const later = openWith(newKey);
    const values = await checkSealedValues(later, later.db.pool);
    expect(values.map(({ keyId, unopened }) => ({ keyId, unopened }))).toEqual(
      results.map(() => ({ keyId: "new", unopened: 0 })),
    );
    const again = await resealValues(rotated, rotated.db.pool);
    expect(again.map(({ resealed }) => resealed)).toEqual(results.map(() => 0));
  },
);

sealedTest(
  "a key is foreign if it opens nothing of what was sealed under its id, and missing if it has sealed something",
  async ({ makeSecrets, sealingKeys, openWith }) => {
    await makeSecrets();
    const faults = async (keys: string) => {
      const deps = openWith(keys);
      return findKeyFaults(deps, deps.db.pool);
    };
    const known = await faults(`${generateKey("unused")},${sealingKeys}`);
    expect(known.foreign).toEqual([]);
    expect(known.missing).not.toContain("test");
    expect((await faults(generateKey("test"))).foreign).toEqual(["test"]);
    const other = await faults(generateKey("other"));
    expect(other.foreign).toEqual([]);
    expect(other.missing).toContain("test");
  },
);

sealedTest(
  "a key is missing if it has sealed a single value of many",
  async ({ deps, makeSecrets, sealingKeys, openWith }) => {
    const { userId, email: to } = await makeSecrets();
    const mail = { to, subject: "Subject", text: "Text" };
    await deps.db.transaction(async (tx) => {
      for (let count = 0; count < 30; count++) await queueMail({ ...deps, tx }, userId, mail);
    });
    const rotated = openWith(`${generateKey("rotated")},${sealingKeys}`);
    await rotated.db.transaction((tx) => queueMail({ ...rotated, tx }, userId, mail));
    expect((await findKeyFaults(deps, deps.db.pool)).missing).toContain("rotated");
  },
);

sealedTest(
  "a value that is saved while it is sealed again stays as it was saved",
  async ({ deps, makeSecrets, sealingKeys, openWith }) => {
    const { organizationId } = await makeSecrets();
    const rotated = openWith(`${generateKey("newer")},${sealingKeys}`);
    const where = { organizationId };
    const saved = rotated.sealer.seal("a test", Buffer.from("saved meanwhile"));
    const { pool } = rotated.db;
    const query = async (text: string, values: unknown[]) => {
      if (text.startsWith("UPDATE model_settings"))
        await deps.db.prisma.modelSettings.updateMany({ where, data: { sealedApiKey: saved } });
      return pool.query(text, values);
    };
    await resealValues(rotated, { query: query as typeof pool.query });
    const { sealedApiKey } = await deps.db.prisma.modelSettings.findUniqueOrThrow({ where });
    expect(sealedApiKey).toBe(saved);
  },
);
