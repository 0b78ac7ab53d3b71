import { createHmac } from "node:crypto";
import { describe, expect } from "vitest";
import { answer, deliveryTest } from "../testing/delivery-test.ts";
import { debugSignature, getDelivery, getEndpoint, rotateSecret, switchSecret } from "./index.ts";

const hour = 3_600_000;

function signedBy(secret: string, headers: Record<string, unknown>, body: Buffer): boolean {
  const hmac = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"));
  hmac.update(`${headers["svc-webhook-id"]}.${headers["svc-webhook-timestamp"]}.`).update(body);
  return headers["svc-webhook-signature"] === `v1=${hmac.digest("hex")}`;
}

describe("rotating a secret", () => {
  deliveryTest(
    "with an overlap: the old one signs until it ends, then the new one",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      const { id, secret: first } = await hooks.endpoint(owner, receiver.url);
      const pump = await hooks.pump();
      const second = await rotateSecret(deps, owner, { id, overlapHours: 24 });
      const signer = async () => {
        await hooks.emit(owner);
        await pump.drain();
        const { headers = {}, body = Buffer.alloc(0) } = receiver.requests.at(-1) ?? {};
        return [first, second]
          .filter(({ secret }) => signedBy(secret, headers, body))
          .map((secret) => secret.id);
      };
      expect(await signer()).toEqual([first.id]);
      await clock.advance(24 * hour - 1_000);
      expect(await signer()).toEqual([first.id]);
      await clock.advance(1_000);
      expect(await signer()).toEqual([second.id]);
      const { secrets } = await getEndpoint(deps, owner, { id });
      expect(secrets.map((secret) => [secret.id, secret.state])).toEqual([
        [second.id, "signing"],
        [first.id, "expired"],
      ]);
    },
  );

  deliveryTest("can be ended early, and needs no overlap", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    const signs = async (secret: string) => {
      await hooks.emit(owner);
      await pump.drain();
      const { headers = {}, body = Buffer.alloc(0) } = receiver.requests.at(-1) ?? {};
      return signedBy(secret, headers, body);
    };
    const second = await rotateSecret(deps, owner, { id, overlapHours: 24 });
    await expect(rotateSecret(deps, owner, { id, overlapHours: 1 })).rejects.toThrow(/in progress/);
    await switchSecret(deps, owner, { id });
    expect(await signs(second.secret)).toBe(true);
    const third = await rotateSecret(deps, owner, { id, overlapHours: 0 });
    expect(await signs(third.secret)).toBe(true);
    await expect(switchSecret(deps, owner, { id })).rejects.toThrow(/No rotation/);
  });

  deliveryTest("leaves no secret in the clear in the database", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const { secret } = await hooks.endpoint(owner, "http://127.0.0.1:9/", {
      headers: { "x-token": "hush-hush" },
    });
    const { rows } = await deps.db.pool.query(
      "SELECT (SELECT json_agg(s)::text FROM webhook_secrets s) || (SELECT json_agg(e)::text FROM webhook_endpoints e) AS text",
    );
    expect(rows[0].text).not.toContain(secret.secret.slice(6, 30));
    expect(rows[0].text).not.toContain("hush-hush");
  });
});

describe("a next secret that is withdrawn", () => {
  deliveryTest("is expired at once, and stands in no rotation's way", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id, secret: first } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    await hooks.emit(owner);
    await pump.drain();
    const withdrawn = await rotateSecret(deps, owner, { id, overlapHours: 10 });
    expect(withdrawn.state).toBe("next");
    const present = await rotateSecret(deps, owner, { id, overlapHours: 0 });
    const states = async () =>
      (await getEndpoint(deps, owner, { id })).secrets.map((secret) => [secret.id, secret.state]);
    expect(await states()).toEqual([
      [present.id, "signing"],
      [withdrawn.id, "expired"],
      [first.id, "expired"],
    ]);

    const [delivery] = await hooks.deliveries({ endpointId: id });
    const explained = await debugSignature(deps, owner, {
      deliveryId: delivery?.id ?? "",
      attempt: 1,
      secret: withdrawn.secret,
    });
    expect(explained.given).toMatchObject({
      secretId: withdrawn.id,
      reason: "replaced",
      sentence: expect.stringMatching(/^This secret was withdrawn .* before it signed anything/),
    });

    await expect(switchSecret(deps, owner, { id })).rejects.toThrow(/No rotation is in progress/);
    const planned = await rotateSecret(deps, owner, { id, overlapHours: 10 });
    await switchSecret(deps, owner, { id });
    expect((await states()).slice(0, 3)).toEqual([
      [planned.id, "signing"],
      [present.id, "expired"],
      [withdrawn.id, "expired"],
    ]);
  });
});

describe("the log of a delivery", () => {
  deliveryTest(
    "shows what was sent and what came back, with custom headers masked",
    async ({ hooks, deps }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver((response) =>
        response.writeHead(418, { "x-kind": "teapot" }).end("short"),
      );
      const settings = { headers: { Authorization: "Bearer hush" }, standardWebhooks: true };
      const { id: endpointId } = await hooks.endpoint(owner, receiver.url, settings);
      const pump = await hooks.pump();
      await hooks.emit(owner);
      await pump.drain();
      const [sent] = receiver.requests;
      expect(sent?.headers.authorization).toBe("Bearer hush");
      const [delivery] = await hooks.deliveries({ endpointId });
      const detail = await getDelivery(deps, owner, { id: delivery?.id ?? "" });
      expect(detail.body).toBe(sent?.body.toString());
      const [attempt] = detail.attempts;
      expect(attempt).toMatchObject({
        number: 1,
        outcome: "status_418",
        sentence: "The receiver answered 418; only 2xx counts as success.",
        address: "127.0.0.1",
        response: { status: 418, body: "short", bodyBytes: 5, bodyEnd: "complete" },
      });
      expect(attempt?.response?.headers).toContainEqual({ name: "x-kind", value: "teapot" });
      const logged = Object.fromEntries(
        attempt?.requestHeaders.map(({ name, value }) => [name.toLowerCase(), value]) ?? [],
      );
      expect(logged.authorization).toBe("***");
      for (const name of ["svc-webhook-id", "svc-webhook-signature", "webhook-signature", "content-type"]) {
        expect(logged[name], name).toBe(sent?.headers[name]);
      }
    },
  );

  deliveryTest("explains a signature, and recognizes the right secret", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id: endpointId, secret } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    const eventId = await hooks.emit(owner);
    await pump.drain();
    const [{ id: deliveryId } = { id: "" }] = await hooks.deliveries({ endpointId });
    const ask = (given: string) => debugSignature(deps, owner, { deliveryId, attempt: 1, secret: given });
    const explained = await ask(secret.secret);
    const [sent] = receiver.requests;
    const timestamp = sent?.headers["svc-webhook-timestamp"];
    expect(explained).toMatchObject({
      signedContent: `${eventId}.${timestamp}.${sent?.body.toString()}`,
      timestamp,
      signature: sent?.headers["svc-webhook-signature"],
      secret: { id: secret.id, known: true },
      reproduced: true,
      given: { readable: true, matches: true },
    });
    const wrong = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    expect((await ask(wrong)).given).toMatchObject({ readable: true, matches: false, reason: "unknown" });
    const unreadable = {
      "": "empty",
      " \n": "empty",
      [`${secret.secret}\n`]: "surrounded",
      [`"${secret.secret}"`]: "surrounded",
      "my secret": "no_prefix",
      [secret.secret.slice("whsec_".length)]: "no_prefix",
      [secret.secret.slice(0, -1)]: "too_short",
      [`${secret.secret}=`]: "too_long",
      [`whsec_${"_".repeat(44)}`]: "not_base64",
    };
    for (const [given, reason] of Object.entries(unreadable)) {
      expect((await ask(given)).given, reason).toEqual({
        readable: false,
        matches: false,
        signature: null,
        secretId: null,
        reason,
        sentence: expect.any(String),
      });
    }
  });

  deliveryTest(
    "says which of the endpoint's secrets the given one is, and shows no other",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      const { id: endpointId, secret: first } = await hooks.endpoint(owner, receiver.url);
      const { secret: stranger } = await hooks.endpoint(owner, "http://127.0.0.1:9/");
      const pump = await hooks.pump();
      const latest = async () => {
        await hooks.emit(owner);
        await pump.drain();
        return (await hooks.deliveries({ endpointId })).map(({ id }) => id);
      };
      const [old = ""] = await latest();
      const second = await rotateSecret(deps, owner, { id: endpointId, overlapHours: 24 });
      const reason = async (deliveryId: string, { secret }: { secret: string }) => {
        const explained = await debugSignature(deps, owner, { deliveryId, attempt: 1, secret });
        const text = JSON.stringify(explained);
        for (const one of [first, second, stranger]) expect(text).not.toContain(one.secret.slice(6, 49));
        return [explained.given?.reason, explained.given?.secretId];
      };
      expect(await reason(old, first)).toEqual(["signed_this", first.id]);
      expect(await reason(old, second)).toEqual(["next", second.id]);
      await clock.advance(24 * hour);
      expect(await reason(old, second)).toEqual(["newer", second.id]);
      const fresh = (await latest()).find((id) => id !== old) ?? "";
      expect(await reason(fresh, second)).toEqual(["signed_this", second.id]);
      expect(await reason(fresh, first)).toEqual(["replaced", first.id]);
      expect(await reason(fresh, stranger)).toEqual(["unknown", null]);
    },
  );
});
