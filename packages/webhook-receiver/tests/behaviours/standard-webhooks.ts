import assert from "node:assert/strict";
import {
  accepts,
  at,
  type Behaviour,
  body,
  clock,
  other,
  refusal,
  refuses,
  secret,
  signed,
} from "./behaviour.ts";

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

/** Deliveries with the headers of Standard Webhooks. */
export const standardWebhooks: Record<string, Behaviour> = {
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
  "refuses them in another form": async (kit) => {
    const { headers } = standard();
    for (const text of ["v1,short", "v2,short", `v1,short ${headers["webhook-signature"]}`]) {
      await refuses("malformed_signature", () => ({
        headers: { ...headers, "webhook-signature": text },
        body,
      }))(kit);
    }
  },
  "names the header of theirs that is missing, doubled or wrong": async ({ createReceiver }) => {
    const { headers } = standard();
    const receiver = createReceiver({ secrets: secret, clock });
    const wrong: [name: string, changed: Record<string, string>][] = Object.keys(headers).flatMap((name) => [
      [name, Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))],
      [name, { ...headers, [name]: name === "webhook-signature" ? "v1,short" : "a,b" }],
    ]);
    wrong.push(["webhook-timestamp", { ...headers, "webhook-timestamp": String(at - 900) }]);
    for (const [name, changed] of wrong) {
      const { message } = await refusal(receiver.verify({ headers: changed, body }));
      assert.match(` ${message}`, new RegExp(` ${name} `));
    }
  },
  "refuses them where one of ours is there: it is ours that counts": async (kit) => {
    for (const [name, value] of Object.entries(signed().headers)) {
      if (!name.startsWith("svc-")) continue;
      await refuses("missing_header", () => ({ headers: { ...standard().headers, [name]: value }, body }))(
        kit,
      );
    }
  },
};
