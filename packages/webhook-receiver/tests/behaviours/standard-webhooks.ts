import { accepts, type Behaviour, body, other, refuses, signed } from "./behaviour.ts";

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
  "refuses them where one of ours is there: it is ours that counts": async (kit) => {
    for (const [name, value] of Object.entries(signed().headers)) {
      if (!name.startsWith("svc-")) continue;
      await refuses("missing_header", () => ({ headers: { ...standard().headers, [name]: value }, body }))(
        kit,
      );
    }
  },
};
