import { Scope } from "@querybell/domain";
import { createTestClock } from "@querybell/testkit";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { createPlay } from "../testing/examples/play.ts";
import { playAutomations } from "../testing/examples/play-automations.ts";
import { playMe, playPeople, playRestCalls } from "../testing/examples/play-people.ts";
import { playQueries } from "../testing/examples/play-queries.ts";
import { playUploads } from "../testing/examples/play-uploads.ts";
import { playNewEndpoint, playWebhooks } from "../testing/examples/play-webhooks.ts";
import { stabilize } from "../testing/examples/stabilize.ts";
import { jsonText } from "./json-text.ts";
import { procedures } from "./procedures.ts";

// In the past of every machine, so that sessions, which follow the machine's own clock, have not ended.
const monday = new Date("2026-11-02T08:00:00.000Z");

const test = apiTest.extend("clock", { scope: "file" }, async ({ databaseUrl }) => {
  const clock = createTestClock(databaseUrl, monday);
  await clock.advance(0);
  return clock;
});

/** The example of every procedure is played, in an order in which each finds what it needs. */
test("every example in the reference works, and answers what the reference shows", async ({
  api,
  deps,
  make,
}) => {
  const robin = await make.user({ name: "Robin Weber", email: "robin@example.com" });
  const session = { cookie: await api.sessionCookie(robin.email), origin: api.origin };
  const credentials = { session, key: {} };
  const { play, examples } = createPlay({ api, credentials });

  const { organizationId } = await play("me.createOrganization", { name: "Acme" });
  const key = await play("keys.create", { name: "Nightly report", scopes: [...Scope.options] });
  credentials.key = { authorization: `Bearer ${key.key}` };

  const { userId, sessionId } = robin;
  const caller = { userId, organizationId, role: "owner", via: { kind: "session", sessionId } } as const;
  const keyCaller = { ...caller, via: { kind: "key", keyId: key.id, scopes: [...Scope.options] } } as const;
  const scene = { deps, make, play, caller, keyCaller };
  await playPeople(scene);
  const { shortId } = await playQueries({ ...scene, connection: await make.connection(caller) });
  await playUploads(scene);
  const endpoint = await playNewEndpoint(scene);
  await playAutomations(scene, shortId);
  await playWebhooks(scene, endpoint);
  await playRestCalls({ ...scene, keyId: key.id });
  await playMe(scene);
  credentials.session = { ...session, cookie: await api.sessionCookie("kim@example.com", "a long password") };
  await play("members.leave");

  expect(Object.keys(examples).sort()).toEqual(procedures.map(({ path }) => path).sort());
  const recorded = Object.fromEntries(procedures.map(({ path }) => [path, examples[path] ?? {}]));
  // After a change, `vitest run src/reference/examples.test.ts -u` records them anew.
  await expect(`${jsonText(stabilize(recorded))}\n`).toMatchFileSnapshot("examples.json");
});
