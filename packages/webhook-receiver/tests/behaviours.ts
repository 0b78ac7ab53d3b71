// What every build must do, in a form that any runtime can run: nothing here needs the test runner.
import assert from "node:assert/strict";
import { completedEvent, createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import type * as Kit from "../src/index.web.ts";

type Behaviour = (kit: typeof Kit) => Promise<void> | void;

const secret = createTestSecret();
const other = createTestSecret();
const at = 1_772_366_400;
const clock = () => at * 1000;
const event = completedEvent("0195-event");
const body = JSON.stringify(event);
const signed = (
  changes: { secret?: string; timestamp?: number; id?: string; body?: string | Uint8Array } = {},
) => ({
  headers: signedHeaders({ secret, body, id: event.id, timestamp: at, ...changes }),
  body: changes.body ?? body,
});

async function refusal(answer: Promise<unknown>): Promise<{ code: string; hint: string }> {
  const error = await answer.then(
    () => assert.fail("It was accepted."),
    (reason) => reason,
  );
  assert.equal(error.name, "WebhookError");
  return error;
}

const refuses =
  (
    code: string,
    request: () => Parameters<Kit.Receiver["verify"]>[0],
    options: Partial<Kit.ReceiverOptions> = {},
  ): Behaviour =>
  async ({ createReceiver }) => {
    const error = await refusal(createReceiver({ secrets: secret, clock, ...options }).verify(request()));
    assert.equal(error.code, code);
    assert.notEqual(error.hint, "");
  };

const accepts =
  (
    request: () => Parameters<Kit.Receiver["verify"]>[0],
    options: Partial<Kit.ReceiverOptions> = {},
  ): Behaviour =>
  async ({ createReceiver }) => {
    const delivery = await createReceiver({ secrets: secret, clock, ...options }).verify(request());
    assert.equal(delivery.id, event.id);
  };

const withHeader = (name: string, value: string) => {
  const { headers } = signed();
  return { headers: { ...headers, [name]: value }, body };
};
const without = (name: string) => {
  const headers = Object.entries(signed().headers).filter(([key]) => key !== name);
  return { headers: Object.fromEntries(headers), body };
};
const signature = () => signed().headers["svc-webhook-signature"];
const fetchRequest = (init: { headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> }) =>
  new Request("http://localhost/", { method: "POST", ...init });

/** The same delivery with the headers of Standard Webhooks alone. */
const standard = (changes: { secret?: string } = {}) => {
  const { headers } = signed(changes);
  const digest = headers["svc-webhook-signature"].slice("v1=".length);
  const base64 = btoa(
    String.fromCharCode(...(digest.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))),
  );
  return {
    headers: {
      "webhook-id": headers["svc-webhook-id"],
      "webhook-timestamp": headers["svc-webhook-timestamp"],
      "webhook-signature": `v1,${base64}`,
    },
    body,
  };
};

export const behaviours: Record<string, Behaviour> = {
  "a genuine delivery tells its id, time, secret, bytes and event": async ({ createReceiver }) => {
    const delivery = await createReceiver({ secrets: secret, clock }).verify(signed());
    assert.equal(delivery.id, event.id);
    assert.equal(delivery.timestamp, at);
    assert.equal(delivery.secretLabel, "secret-1");
    assert.equal(new TextDecoder().decode(delivery.body), body);
    assert.deepEqual(delivery.event(), { ...event, known: true });
    assert.equal(delivery.event(), delivery.event());
  },

  "takes a Fetch Request": accepts(() => fetchRequest({ ...signed(), body })),
  "takes a Headers object": accepts(() => ({ headers: new Headers(signed().headers), body })),
  "takes header names in any case": accepts(() => ({
    headers: Object.fromEntries(
      Object.entries(signed().headers).map(([name, value]) => [name.toUpperCase(), value]),
    ),
    body,
  })),
  "takes Node's list of raw headers": accepts(() => ({
    headers: Object.entries(signed().headers).flat(),
    body,
  })),
  "takes headers whose values are arrays of one, as Node's headersDistinct and Lambda's multiValueHeaders":
    accepts(() => ({
      headers: Object.fromEntries(Object.entries(signed().headers).map(([name, value]) => [name, [value]])),
      body,
    })),
  "refuses an array of two": refuses("duplicate_header", () => ({
    headers: { ...signed().headers, "svc-webhook-id": [event.id, event.id] },
    body,
  })),
  "refuses an array of none": refuses("missing_header", () => ({
    headers: { ...signed().headers, "svc-webhook-id": [] },
    body,
  })),
  "takes the headers of Standard Webhooks where none of ours is there": accepts(standard),
  "takes several of their signatures, of which one matches": accepts(() => {
    const { headers } = standard();
    const wrong = standard({ secret: other }).headers["webhook-signature"];
    return {
      headers: { ...headers, "webhook-signature": `v1a,x ${wrong} ${headers["webhook-signature"]}` },
      body,
    };
  }),
  "refuses them with another secret's signature": refuses("signature_mismatch", () =>
    standard({ secret: other }),
  ),
  "refuses them in another form": refuses("malformed_signature", () => ({
    headers: { ...standard().headers, "webhook-signature": "v1,short" },
    body,
  })),
  "refuses them where one of ours is there: it is ours that counts": refuses("missing_header", () => ({
    headers: { ...standard().headers, "svc-webhook-id": event.id },
    body,
  })),
  "a delivery tells its headers, by names in any case": async ({ createReceiver }) => {
    const headers = { ...signed().headers, "X-Trace": ["a", "b"], "content-type": "application/json" };
    const delivery = await createReceiver({ secrets: secret, clock }).verify({ headers, body });
    assert.equal(delivery.header("Content-Type"), "application/json");
    assert.equal(delivery.header("x-trace"), "a, b");
    assert.equal(delivery.header("x-absent"), undefined);
  },
  "refuses a Request whose body somebody else is reading": refuses("body_not_raw", () => {
    const request = fetchRequest({ ...signed(), body });
    request.body?.getReader();
    return request;
  }),
  "says what to pass where there is no body at all": async ({ createReceiver }) => {
    const unread = JSON.parse(JSON.stringify({ headers: signed().headers }));
    const { code, hint } = await refusal(createReceiver({ secrets: secret, clock }).verify(unread));
    assert.equal(code, "body_not_raw");
    assert.match(hint, /pass \{ headers, body \}/);
  },
  "takes pairs of names and values": accepts(() => ({
    headers: Object.entries(signed().headers),
    body,
  })),
  "takes the body as bytes": accepts(() => ({ ...signed(), body: new TextEncoder().encode(body) })),
  "takes the body as an ArrayBuffer": accepts(() => ({
    ...signed(),
    body: new TextEncoder().encode(body).buffer,
  })),

  "refuses a header that is missing": async (kit) => {
    for (const name of ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"]) {
      await refuses("missing_header", () => without(name))(kit);
      await refuses("missing_header", () => ({ headers: new Headers(without(name).headers), body }))(kit);
      await refuses("missing_header", () => ({
        headers: Object.entries(without(name).headers).flat(),
        body,
      }))(kit);
    }
  },
  "refuses a header that is there twice": async (kit) => {
    const { headers } = signed();
    const id = headers["svc-webhook-id"];
    const twice = { ...headers, "svc-webhook-id": [id, id] };
    await refuses("duplicate_header", () => ({ headers: twice, body }))(kit);
    for (const [name, value] of Object.entries(headers)) {
      if (!name.startsWith("svc-")) continue;
      const list = [...Object.entries(headers).flat(), name.toUpperCase(), value];
      await refuses("duplicate_header", () => ({ headers: list, body }))(kit);
      const twoCases = { ...headers, [name.toUpperCase()]: value };
      await refuses("duplicate_header", () => ({ headers: twoCases, body }))(kit);
    }
  },
  "refuses an id or a timestamp that was there twice, where the platform has joined them": async (kit) => {
    for (const name of ["svc-webhook-id", "svc-webhook-timestamp"]) {
      const joined = new Headers(signed().headers);
      joined.append(name, joined.get(name) ?? "");
      await refuses("duplicate_header", () => ({ headers: joined, body }))(kit);
      await refuses("duplicate_header", () => withHeader(name, joined.get(name) ?? ""))(kit);
    }
  },
  "refuses headers that are not there at all": async (kit) => {
    for (const json of ["{}", '{ "headers": null }', '{ "headers": "svc-webhook-id" }', '"body"']) {
      await refuses("missing_header", () => JSON.parse(json))(kit);
    }
  },
  "refuses an id that could blur into the timestamp": refuses("malformed_id", () => signed({ id: "a.1" })),
  "refuses an empty or endless id": async (kit) => {
    for (const id of ["", "x".repeat(129), "a b"]) await refuses("malformed_id", () => signed({ id }))(kit);
  },
  "refuses a timestamp that is not a whole number": async (kit) => {
    for (const text of [
      "123junk",
      "1e9",
      "-1",
      "",
      "0x10",
      " 1772366400",
      "1772366400.0",
      "01772366400",
      "١٧٧٢",
    ]) {
      await refuses("malformed_timestamp", () => withHeader("svc-webhook-timestamp", text))(kit);
    }
  },
  "refuses a signature that is not v1 and 64 lower-case digits": async (kit) => {
    const digits = signature().slice(3);
    const upper = `v1=${"AB".repeat(32)}`;
    for (const text of [
      "",
      digits,
      `v1=${digits.slice(1)}`,
      `v1=${digits}0`,
      upper,
      `v2=${digits}`,
      `v1,${digits}`,
    ]) {
      await refuses("malformed_signature", () => withHeader("svc-webhook-signature", text))(kit);
    }
  },
  "refuses a signature whose digits only look like the right ones": refuses("malformed_signature", () =>
    withHeader(
      "svc-webhook-signature",
      signature().replace(/\d/, (digit) => String.fromCharCode(digit.charCodeAt(0) + 256)),
    ),
  ),
  "takes several signatures if one matches, and ignores unknown schemes": async (kit) => {
    const wrong = `v1=${"0".repeat(64)}`;
    for (const text of [`${wrong},${signature()}`, `${signature()}, ${wrong}`, `v2=new,${signature()}`]) {
      await accepts(() => withHeader("svc-webhook-signature", text))(kit);
    }
    await refuses("signature_mismatch", () => withHeader("svc-webhook-signature", `${wrong},${wrong}`))(kit);
    await refuses("malformed_signature", () => withHeader("svc-webhook-signature", `${signature()},v1=junk`))(
      kit,
    );
  },

  "accepts a timestamp at both ends of the window": async (kit) => {
    await accepts(() => signed({ timestamp: at - 300 }))(kit);
    await accepts(() => signed({ timestamp: at + 300 }))(kit);
  },
  "refuses a timestamp beyond either end": async (kit) => {
    await refuses("timestamp_too_old", () => signed({ timestamp: at - 301 }))(kit);
    await refuses("timestamp_in_future", () => signed({ timestamp: at + 301 }))(kit);
    await refuses("timestamp_in_future", () => signed({ timestamp: at + 365 * 86_400 }))(kit);
  },
  "never says that a time is off by as much as is accepted": async ({ createReceiver }) => {
    for (const now of [at * 1000 + 300_001, at * 1000 - 300_001]) {
      const receiver = createReceiver({ secrets: secret, clock: () => now });
      await assert.rejects(receiver.verify(signed()), /is 301 seconds (ahead of|behind)/);
    }
  },
  "takes another tolerance": async (kit) => {
    await accepts(() => signed({ timestamp: at - 900 }), { toleranceSeconds: 900 })(kit);
    await refuses("timestamp_too_old", () => signed({ timestamp: at - 1 }), { toleranceSeconds: 0 })(kit);
  },
  "a clock that answers nonsense refuses everything": refuses("timestamp_too_old", signed, {
    clock: () => Number.NaN,
  }),

  "refuses a delivery signed with another secret": refuses("signature_mismatch", () =>
    signed({ secret: other }),
  ),
  "says which of several secrets matched": async ({ createReceiver }) => {
    const secrets = [
      { secret: other, label: "new" },
      { secret, label: "old" },
    ];
    const delivery = await createReceiver({ secrets, clock }).verify(signed());
    assert.equal(delivery.secretLabel, "old");
  },
  "refuses a secret from the moment it expires": async (kit) => {
    const expiring = (ms: number) => ({ secrets: [{ secret, expiresAt: new Date(at * 1000 + ms) }, other] });
    await accepts(signed, expiring(1))(kit);
    await refuses("signature_mismatch", signed, expiring(0))(kit);
  },
  "refuses a secret in the wrong form, and never repeats it": ({ createReceiver }) => {
    const wrong = [
      "",
      undefined,
      [],
      ` ${secret}`,
      `${secret}\n`,
      secret.slice(6),
      secret.slice(0, -2),
      "hunter2hunter2",
    ];
    for (const secrets of wrong) {
      assert.throws(
        () => createReceiver({ secrets }),
        (error: Kit.WebhookError) =>
          error.code === "malformed_secret" &&
          !error.message.includes(secret.slice(6, 20)) &&
          !error.message.includes("hunter2"),
      );
    }
  },
  "refuses settings that are not what they should be, as read from JSON or the environment": ({
    createReceiver,
  }) => {
    const wrongSecrets = [
      { secret, expiresAt: new Date("soon") },
      ...JSON.parse(
        `[null, [null], 5, { "secret": 5 }, { "secret": "${secret}", "expiresAt": "2099-01-01" }]`,
      ),
      ...JSON.parse(`[{ "secret": "${secret}", "expiresAt": null }]`),
    ];
    for (const secrets of wrongSecrets) {
      assert.throws(
        () => createReceiver({ secrets }),
        (error: Kit.WebhookError) => error.code === "malformed_secret",
      );
    }
    for (const number of [Number.NaN, -1, Number.POSITIVE_INFINITY, JSON.parse('"300"')]) {
      assert.throws(() => createReceiver({ secrets: secret, toleranceSeconds: number }), RangeError);
      assert.throws(() => createReceiver({ secrets: secret, maxBodyBytes: number }), RangeError);
    }
  },
  "an error of the same name is none of ours": ({ WebhookError }) => {
    const impostor = Object.assign(new Error("text"), {
      name: "WebhookError",
      code: "malformed_id",
      hint: "",
    });
    assert.equal(impostor instanceof WebhookError, false);
    assert.equal(new WebhookError("malformed_id", "text") instanceof WebhookError, true);
  },

  "refuses a body that was parsed": refuses("body_not_raw", () => ({ ...signed(), body: JSON.parse(body) })),
  "refuses a Request whose body was read": async ({ createReceiver }) => {
    const request = fetchRequest({ ...signed(), body });
    await request.text();
    assert.equal(
      (await refusal(createReceiver({ secrets: secret, clock }).verify(request))).code,
      "body_not_raw",
    );
  },
  "refuses a Request whose body breaks off": refuses("body_incomplete", () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const init = { method: "POST", headers: signed().headers, body, duplex: "half" } as const;
    return new Request("http://localhost/", init);
  }),
  "refuses a body over the limit": async (kit) => {
    const maxBodyBytes = new TextEncoder().encode(body).length;
    await accepts(signed, { maxBodyBytes })(kit);
    await accepts(() => fetchRequest({ ...signed(), body }), { maxBodyBytes })(kit);
    await refuses("body_too_large", signed, { maxBodyBytes: maxBodyBytes - 1 })(kit);
    await refuses("body_too_large", () => fetchRequest({ ...signed(), body }), {
      maxBodyBytes: maxBodyBytes - 1,
    })(kit);
    const small = kit.createReceiver({ secrets: secret, clock, maxBodyBytes: 1 });
    assert.match((await refusal(small.verify(signed()))).hint, /^Raise it/);
  },
  "reads no more of a body than shows that it is too large": async ({ createReceiver }) => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(100).fill(pulled++)),
    });
    const init = { method: "POST", headers: signed().headers, body: endless, duplex: "half" } as const;
    const receiver = createReceiver({ secrets: secret, clock, maxBodyBytes: 1000 });
    const { code } = await refusal(receiver.verify(new Request("http://localhost/", init)));
    assert.equal(code, "body_too_large");
    assert.ok(pulled < 20);
  },
  "verifies an empty body, and one that is not UTF-8": async ({ createReceiver }) => {
    const receiver = createReceiver({ secrets: secret, clock });
    for (const bytes of [new Uint8Array(), new Uint8Array([0xff, 0xfe, 0x80])]) {
      assert.deepEqual(new Uint8Array((await receiver.verify(signed({ body: bytes }))).body), bytes);
      assert.deepEqual(
        (await receiver.verify(fetchRequest({ ...signed({ body: bytes }), body: bytes }))).body,
        bytes,
      );
    }
  },

  "an event of an unknown type is a value": async ({ createReceiver }) => {
    for (const type of ["automation.run.paused", "constructor", "__proto__"]) {
      const later = JSON.stringify({ ...event, type, data: { since: 5 } });
      const parsed = (
        await createReceiver({ secrets: secret, clock }).verify(signed({ body: later }))
      ).event();
      assert.equal(parsed.known, false);
      assert.equal(parsed.type, type);
      assert.deepEqual(parsed.data, { since: 5 });
    }
  },
  "fields added to a known event are kept": async ({ createReceiver }) => {
    const grown = JSON.stringify({ ...event, data: { ...event.data, cost: 7 } });
    const parsed = (await createReceiver({ secrets: secret, clock }).verify(signed({ body: grown }))).event();
    assert.ok(parsed.known);
    assert.deepEqual(parsed.data, { ...event.data, cost: 7 });
  },
  "a body that is no event still verifies, and says so when asked": async ({ createReceiver }) => {
    const wrong = [
      "junk",
      "null",
      "[]",
      "{}",
      JSON.stringify({ ...event, id: "x" }),
      JSON.stringify({ ...event, data: {} }),
    ];
    for (const text of wrong) {
      const delivery = await createReceiver({ secrets: secret, clock }).verify(signed({ body: text }));
      assert.throws(
        () => delivery.event(),
        (error: Kit.WebhookError) => error.code === "malformed_event",
      );
    }
  },
};
