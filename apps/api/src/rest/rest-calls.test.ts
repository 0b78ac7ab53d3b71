import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { restTest as test } from "../testing/rest-test.ts";

/** Polls until the recorder has written. No response waits for its writes. */
async function eventually<Value>(read: () => Promise<Value>, isThere: (value: Value) => boolean) {
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
  }
}

test("the last call of each key and route is recorded, at most once a minute", async ({ rest, clock }) => {
  const { owner, call, signIn } = await rest.start({ name: "Nightly export" });
  const client = await signIn();
  expect(await client.settings.restCalls.query()).toEqual([]);

  const first = clock.now().toISOString();
  await call("/api/queries");
  const [recorded] = await eventually(
    () => client.settings.restCalls.query(),
    (calls) => calls.length === 1,
  );
  const { userId, name, email } = owner;
  expect(recorded).toEqual({
    key: {
      id: expect.any(String),
      name: "Nightly export",
      start: expect.stringMatching(/^qb_/),
      revoked: false,
    },
    owner: { userId, name, email },
    route: "GET /api/queries",
    lastCalledAt: first,
    retired: false,
  });

  await clock.advance(59_000);
  await call("/api/queries");
  const second = clock.now().toISOString();
  await call("/api/queries/refs");
  const both = await eventually(
    () => client.settings.restCalls.query(),
    (calls) => calls.length === 2,
  );
  expect(both.map(({ route, lastCalledAt }) => [route, lastCalledAt])).toEqual([
    ["GET /api/queries/refs", second],
    ["GET /api/queries", first],
  ]);

  await clock.advance(1_000);
  await call("/api/queries");
  const third = clock.now().toISOString();
  await eventually(
    () => client.settings.restCalls.query(),
    (calls) => calls[0]?.route === "GET /api/queries" && calls[0].lastCalledAt === third,
  );
});

test("a call of a retired route is recorded as such at once; other calls are not", async ({
  rest,
  clock,
}) => {
  const { call, signIn, key } = await rest.start();
  const client = await signIn();
  await call("/api/queries");
  await eventually(
    () => client.settings.restCalls.query(),
    (calls) => calls.length === 1,
  );
  await client.settings.update.mutate({ restCompatibility: "retired" });
  await call("/api/key");
  await call("/api/queries", { method: "PATCH" });
  await rest.calling(`${key.slice(0, -1)}_`)("/api/queries/refs");
  // The state of the organization is cached until then.
  await clock.advance(5_000);
  await call("/api/queries");
  const [recorded, ...others] = await eventually(
    () => client.settings.restCalls.query(),
    ([last]) => last?.retired === true,
  );
  expect([recorded?.route, others]).toEqual(["GET /api/queries", []]);
});

test("a revoked key stays listed; with its owner's membership its calls go", async ({
  rest,
  make,
  makeKey,
  api,
}) => {
  const { owner, signIn } = await rest.start();
  const client = await signIn();
  const member = await make.member(owner.organizationId);
  const { id, key } = await makeKey(member);
  await rest.calling(key)("/api/queries");
  await eventually(
    () => client.settings.restCalls.query(),
    (calls) => calls.length === 1,
  );
  await client.keys.revoke.mutate({ id });
  expect(await client.settings.restCalls.query()).toMatchObject([{ key: { id, revoked: true } }]);
  const asMember = await api.signedIn(member);
  await expect(asMember.settings.restCalls.query()).rejects.toEqual(apiError("forbidden"));
  await client.members.remove.mutate({ userId: member.userId });
  expect(await client.settings.restCalls.query()).toEqual([]);
});
