import assert from "node:assert/strict";
import {
  accepts,
  at,
  type Behaviour,
  body,
  clock,
  event,
  fetchRequest,
  refuses,
  secret,
  signed,
} from "./behaviour.ts";

/** The forms in which headers and bodies can be passed. */
export const readingRequests: Record<string, Behaviour> = {
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
  "a delivery tells its headers, by names in any case": async ({ createReceiver }) => {
    const headers = { ...signed().headers, "X-Trace": ["a", "b"], "content-type": "application/json" };
    const delivery = await createReceiver({ secrets: secret, clock }).verify({ headers, body });
    assert.equal(delivery.header("Content-Type"), "application/json");
    assert.equal(delivery.header("x-trace"), "a, b");
    assert.equal(delivery.header("x-absent"), undefined);
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
};
