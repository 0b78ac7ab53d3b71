// Nothing here needs the test runner, so that behaviours run on any runtime.
import assert from "node:assert/strict";
import { completedEvent, createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import type * as Kit from "../../src/index.web.ts";

/** A check of one build of the kit. */
export type Behaviour = (kit: typeof Kit) => Promise<void> | void;

export const secret = createTestSecret();
export const other = createTestSecret();
export const at = 1_772_366_400;
export const clock = () => at * 1000;
export const event = completedEvent("0195-event");
export const body = JSON.stringify(event);
/** A delivery that is valid unless a part of it is changed. */
export const signed = (
  changes: { secret?: string; timestamp?: number; id?: string; body?: string | Uint8Array } = {},
) => ({
  headers: signedHeaders({ secret, body, id: event.id, timestamp: at, ...changes }),
  body: changes.body ?? body,
});

/** The error with which a delivery is refused. */
export async function refusal(
  answer: Promise<unknown>,
): Promise<{ code: string; message: string; hint: string }> {
  const error = await answer.then(
    () => assert.fail("It was accepted."),
    (reason) => reason,
  );
  assert.equal(error.name, "WebhookError");
  return error;
}

export const refuses =
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

export const accepts =
  (
    request: () => Parameters<Kit.Receiver["verify"]>[0],
    options: Partial<Kit.ReceiverOptions> = {},
  ): Behaviour =>
  async ({ createReceiver }) => {
    const delivery = await createReceiver({ secrets: secret, clock, ...options }).verify(request());
    assert.equal(delivery.id, event.id);
  };

export const withHeader = (name: string, value: string) => {
  const { headers } = signed();
  return { headers: { ...headers, [name]: value }, body };
};
export const without = (name: string) => {
  const headers = Object.entries(signed().headers).filter(([key]) => key !== name);
  return { headers: Object.fromEntries(headers), body };
};
export const signature = () => signed().headers["svc-webhook-signature"];
export const fetchRequest = (init: {
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}) => new Request("http://localhost/", { method: "POST", ...init });
