import { getUntypedClient } from "@trpc/client";
import { describe, expect, test } from "vitest";
import { type ApiError, toApiError } from "./api-error.ts";
import { type Client, createClient } from "./create-client.ts";
import { goodKey, startWireServer } from "./testing/wire-server.ts";

const failureOf = (call: Promise<unknown>): Promise<ApiError | undefined> =>
  call.then(() => expect.unreachable("the call succeeded"), toApiError);

/** All messages of a subscription. */
const collect = (client: Client): Promise<unknown[]> =>
  new Promise((resolve, reject) => {
    const said: unknown[] = [];
    // Only the test server has this subscription, so the typed client cannot name it.
    getUntypedClient(client).subscription("counting", undefined, {
      onData: (one) => said.push(one),
      onComplete: () => resolve(said),
      onError: reject,
    });
  });

describe("a call", () => {
  test("carries the key", async () => {
    await using server = await startWireServer();
    const client = createClient({ url: server.url, apiKey: goodKey });
    await expect(client.keys.describe.query()).resolves.toEqual({ name: `Bearer ${goodKey}` });
  });

  test("carries no header when there is no key", async () => {
    await using server = await startWireServer();
    const client = createClient({ url: `${server.url}/` });
    await expect(client.keys.describe.query()).resolves.toEqual({ name: "nobody" });
  });

  test("carries further headers, as they are at that moment", async () => {
    await using server = await startWireServer();
    let headers: Record<string, string> = {};
    const client = createClient({ url: server.url, headers: () => headers });
    await expect(client.keys.describe.query()).resolves.toEqual({ name: "nobody" });
    headers = { authorization: `Bearer ${goodKey}` };
    await expect(client.keys.describe.query()).resolves.toEqual({ name: `Bearer ${goodKey}` });
  });

  test("is sent in a batch with concurrent calls, at most five", async () => {
    await using server = await startWireServer();
    const client = createClient({ url: server.url, apiKey: goodKey });
    await Promise.all(Array.from({ length: 6 }, () => client.keys.describe.query()));
    expect(server.paths.map((path) => path.split(",").length).sort()).toEqual([1, 5]);
  });
});

test("does not send the direction that TanStack Query adds to pages", async () => {
  await using server = await startWireServer();
  const client = createClient({ url: server.url, apiKey: goodKey });
  const input = { limit: 1, direction: "forward" };
  await getUntypedClient(client).query("keys.describe", input);
  expect(server.inputs).toEqual(['{"0":{"limit":1}}']);
});

test("sends an input that is too long for a URL in the body", async () => {
  await using server = await startWireServer();
  const client = getUntypedClient(createClient({ url: server.url, apiKey: goodKey }));
  const input = { ids: Array.from({ length: 1_000 }, (_, at) => `order ${at}`) };
  await expect(client.query("keys.echo", input)).resolves.toEqual(input);
  expect(server.inputs).toEqual([null]);
  const inUrl = { ids: input.ids.slice(0, 250) };
  await expect(client.query("keys.echo", inUrl)).resolves.toEqual(inUrl);
  expect(server.inputs).toEqual([null, JSON.stringify({ 0: inUrl })]);
});

describe("a subscription", () => {
  test("carries the key", async () => {
    await using server = await startWireServer();
    const said = await collect(createClient({ url: server.url, apiKey: goodKey }));
    expect(said).toEqual([1, 2, 3].map((count) => `${count} for Bearer ${goodKey}`));
  });

  test("works without a key", async () => {
    await using server = await startWireServer();
    const said = await collect(createClient({ url: server.url }));
    expect(said).toEqual(["1 for nobody", "2 for nobody", "3 for nobody"]);
  });

  test("that is refused before it begins says why", async () => {
    await using server = await startWireServer();
    const refused = await failureOf(collect(createClient({ url: server.url, apiKey: "qb_wrong" })));
    expect(refused).toMatchObject({
      reason: "unauthorized",
      status: 401,
      message: "This API key is unknown, revoked or expired.",
    });
  });
});

describe("a failed call", () => {
  test("tells the reason, the status and what is wrong with the input", async () => {
    await using server = await startWireServer();
    const client = createClient({ url: server.url, apiKey: goodKey });
    expect(await failureOf(client.keys.create.mutate({ name: "", scopes: [] }))).toEqual({
      reason: "invalid_request",
      status: 400,
      message: "name: must not be empty",
      errors: [{ path: "name", message: "must not be empty" }],
      retryAfterSeconds: 7,
    });
  });

  test("has an empty list of errors if the input is valid", async () => {
    await using server = await startWireServer();
    const refused = await failureOf(createClient({ url: server.url }).members.list.query());
    expect(refused).toMatchObject({ reason: "unauthorized", status: 401, errors: [] });
  });

  test("has no reason if the server was not reached", async () => {
    const server = await startWireServer();
    await server[Symbol.asyncDispose]();
    expect(await failureOf(createClient({ url: server.url }).keys.describe.query())).toBeUndefined();
  });

  test("is distinguished from other errors", () => {
    expect(toApiError(new Error("something else"))).toBeUndefined();
  });
});

describe("creating a client", () => {
  test("refuses an invalid URL and an empty key", () => {
    expect(() => createClient({ url: "localhost" })).toThrow('and not "localhost"');
    expect(() => createClient({ url: "http://localhost:4000", apiKey: "" })).toThrow("apiKey is empty");
  });
});
