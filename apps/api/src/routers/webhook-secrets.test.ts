import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { makeWebhooksWithEverything } from "../testing/webhooks-with-everything.ts";

/** An owner, signed in, with an endpoint that has had one attempt. */
const sealedTest = apiTest.extend("signUp", { scope: "file" }, ({ api, deps, make }) => {
  return async () => {
    const owner = await make.owner();
    await makeWebhooksWithEverything(deps, owner, "marker");
    const client = await api.signedIn(owner);
    const [{ id } = { id: "" }] = await client.webhookEndpoints.list.query();
    return { client, id };
  };
});

describe("custom headers whose key is gone", () => {
  sealedTest("are answered as null, hide no endpoint, and are set again", async ({ signUp, deps }) => {
    const { client, id } = await signUp();
    const { create, get, list, update } = client.webhookEndpoints;
    const headers = { "x-team": "blue" };
    await update.mutate({ id, headers });
    const { url, eventTypes } = await get.query({ id });
    const other = await create.mutate({ url, eventTypes, headers });
    await deps.db.pool.query(
      "UPDATE webhook_endpoints SET sealed_headers = regexp_replace(sealed_headers, '^[^.]+', 'lost') WHERE id = $1",
      [id],
    );
    expect((await list.query()).map((endpoint) => [endpoint.id, endpoint.headers])).toEqual([
      [other.id, headers],
      [id, null],
    ]);
    expect(await get.query({ id })).toMatchObject({ headers: null });
    expect(await update.mutate({ id, description: "Blue" })).toMatchObject({
      description: "Blue",
      headers: null,
    });
    const again = { "x-team": "green" };
    expect(await update.mutate({ id, headers: again })).toMatchObject({ headers: again });
    expect(await get.query({ id })).toMatchObject({ description: "Blue", headers: again });
  });
});

describe("a secret that cannot be opened", () => {
  sealedTest("leaves the debugger with what it can still say", async ({ signUp, deps }) => {
    const { client, id } = await signUp();
    const rotated = await client.webhookEndpoints.rotateSecret.mutate({ id, overlapHours: 10 });
    await deps.db.pool.query(
      "UPDATE webhook_secrets SET sealed = regexp_replace(sealed, '^[^.]+', 'lost') WHERE endpoint_id = $1 AND id <> $2",
      [id, rotated.id],
    );
    const { items } = await client.webhookDeliveries.search.query({ endpointId: id });
    const explained = await client.webhookDeliveries.debugSignature.mutate({
      deliveryId: items.at(-1)?.id ?? "",
      attempt: 1,
      secret: rotated.secret,
    });
    expect(explained).toMatchObject({ reproduced: null, given: { secretId: rotated.id, matches: false } });
  });
});

describe("a next secret that is withdrawn", () => {
  sealedTest("is expired at once, and stands in no rotation's way", async ({ signUp }) => {
    const { client, id } = await signUp();
    const { get, rotateSecret, switchSecret } = client.webhookEndpoints;
    const { secrets } = await get.query({ id });
    const withdrawn = await rotateSecret.mutate({ id, overlapHours: 10 });
    expect(withdrawn.state).toBe("next");
    const present = await rotateSecret.mutate({ id, overlapHours: 0 });
    const states = async () => (await get.query({ id })).secrets.map((secret) => [secret.id, secret.state]);
    expect(await states()).toEqual([
      [present.id, "signing"],
      [withdrawn.id, "expired"],
      [secrets[0]?.id, "expired"],
    ]);

    const { items } = await client.webhookDeliveries.search.query({ endpointId: id });
    const deliveryId = items.at(-1)?.id ?? "";
    const explained = await client.webhookDeliveries.debugSignature.mutate({
      deliveryId,
      attempt: 1,
      secret: withdrawn.secret,
    });
    expect(explained.given).toMatchObject({
      secretId: withdrawn.id,
      reason: "replaced",
      sentence: expect.stringMatching(/^This secret was withdrawn .* before it signed anything/),
    });

    await expect(switchSecret.mutate({ id })).rejects.toThrow(/No rotation is in progress/);
    const planned = await rotateSecret.mutate({ id, overlapHours: 10 });
    await switchSecret.mutate({ id });
    expect((await states()).slice(0, 3)).toEqual([
      [planned.id, "signing"],
      [present.id, "expired"],
      [withdrawn.id, "expired"],
    ]);
  });
});
