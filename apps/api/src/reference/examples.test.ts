import { Scope } from "@querybell/domain";
import { createTestClock } from "@querybell/testkit";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { recordAutomations } from "../testing/examples/record-automations.ts";
import { createExampleRecorder } from "../testing/examples/record-example.ts";
import { recordMe, recordPeople, recordRestCalls } from "../testing/examples/record-people.ts";
import { recordQueries } from "../testing/examples/record-queries.ts";
import { recordUploads } from "../testing/examples/record-uploads.ts";
import { recordNewEndpoint, recordWebhooks } from "../testing/examples/record-webhooks.ts";
import { stabilize } from "../testing/examples/stabilize.ts";
import { jsonText } from "./json-text.ts";
import { procedures } from "./procedures.ts";

// In the past, so that sessions, which use the machine's clock, have not expired.
const monday = new Date("2026-11-02T08:00:00.000Z");

const test = apiTest.extend("clock", { scope: "file" }, async ({ databaseUrl }) => {
  const clock = createTestClock(databaseUrl, monday);
  await clock.advance(0);
  return clock;
});

/** Records the example of every procedure. Later ones use the objects of earlier ones. */
test("every example in the reference works, and answers what the reference shows", async ({
  api,
  deps,
  make,
}) => {
  const robin = await make.user({ name: "Robin Weber", email: "robin@example.com" });
  const session = { cookie: await api.sessionCookie(robin.email), origin: api.origin };
  const credentials = { session, key: {} };
  const { record, examples } = createExampleRecorder({ api, credentials });

  const { organizationId } = await record("me.createOrganization", { name: "Acme" });
  const key = await record("keys.create", { name: "Nightly report", scopes: [...Scope.options] });
  credentials.key = { authorization: `Bearer ${key.key}` };

  const { userId, sessionId } = robin;
  const caller = { userId, organizationId, role: "owner", via: { kind: "session", sessionId } } as const;
  const keyCaller = { ...caller, via: { kind: "key", keyId: key.id, scopes: [...Scope.options] } } as const;
  const context = { deps, make, record, caller, keyCaller };
  await recordPeople(context);
  const { shortId } = await recordQueries({ ...context, connection: await make.connection(caller) });
  await recordUploads(context);
  const endpoint = await recordNewEndpoint(context);
  await recordAutomations(context, shortId);
  await recordWebhooks(context, endpoint);
  await recordRestCalls({ ...context, keyId: key.id });
  await recordMe(context);
  credentials.session = { ...session, cookie: await api.sessionCookie("kim@example.com", "a long password") };
  await record("members.leave");

  expect(Object.keys(examples).sort()).toEqual(procedures.map(({ path }) => path).sort());
  const recorded = Object.fromEntries(procedures.map(({ path }) => [path, examples[path] ?? {}]));
  // After a change, `vitest run src/reference/examples.test.ts -u` records them anew.
  await expect(`${jsonText(stabilize(recorded))}\n`).toMatchFileSnapshot("examples.json");
});
