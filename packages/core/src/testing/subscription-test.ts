import { createHmac } from "node:crypto";
import { type Caller, type Scope, SubscribableEvent } from "@querybell/domain";
import { createSender } from "@querybell/webhooks";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { SubscribeToEvents } from "../event-subscriptions/check-subscription.ts";
import { subscribeToEvents } from "../event-subscriptions/index.ts";
import { createKey } from "../keys/index.ts";
import { deliveryTest } from "./delivery-test.ts";

const Sent = z.object({
  eventId: z.string(),
  name: SubscribableEvent,
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
  cursor: z.string(),
});
const Challenge = z.object({ type: z.literal("verification"), challenge: z.string() });
const Terminated = z.object({ type: z.literal("terminated") });

export const subscriptionSecret = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;

interface ReceivedRequest {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The signatures that a receiver expects with this secret are among those of the request. */
export function isSignedWith(secret: string, { headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const content = Buffer.concat([
    Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`),
    body,
  ]);
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

/** A test with programs that subscribe to events: their keys, and receivers that answer challenges. */
export const subscriptionTest = deliveryTest.extend(
  "programs",
  { scope: "file" },
  ({ deps, make, hooks }) => {
    /** A program with a key of this owner, and the automation whose events it wants. */
    const program = async (owner: Caller, key: { expiresAt?: string; folderIds?: string[] } = {}) => {
      const scopes: Scope[] = ["events:subscribe", "automations:read"];
      const { id: keyId } = await createKey(deps, owner, { name: "Assistant", scopes, ...key });
      const isNarrowed = key.folderIds !== undefined;
      const caller: Caller = { ...owner, via: { kind: "key", keyId, scopes, isNarrowed } };
      return { caller, keyId, subscribe: subscriberOf(caller) };
    };

    /** Subscribes as this caller. */
    const subscriberOf = (caller: Caller) => {
      const sender = createSender(deps);
      onTestFinished(() => sender.close());
      return (url: string, input: Partial<SubscribeToEvents> = {}) =>
        subscribeToEvents({ ...deps, sender, limitChallenges: () => {} }, caller, {
          ...{ event: "automation.run.completed", automationId: null, url, secret: subscriptionSecret },
          ...{ cursor: null, ttlMs: undefined, maxAgeMs: null, ...input },
        });
    };

    /** Answers challenges. `statusOf` says how it answers an event; with 200 if it does not. */
    const receiver = async (statusOf: (eventId: string) => number = () => 200) => {
      const events: (z.infer<typeof Sent> & { status: number })[] = [];
      const started = await hooks.receiver((response) => {
        const json: unknown = JSON.parse(started.requests.at(-1)?.body.toString() ?? "");
        const challenge = Challenge.safeParse(json);
        if (challenge.success) {
          response.end(JSON.stringify({ challenge: challenge.data.challenge }));
          return;
        }
        if (Terminated.safeParse(json).success) {
          response.end();
          return;
        }
        const event = Sent.parse(json);
        const status = statusOf(event.eventId);
        events.push({ ...event, status });
        response.writeHead(status).end();
      });
      return Object.assign(started, {
        events,
        /** Ids of the events that it took, in the order of their arrival; forgets them. */
        take: () => events.splice(0).flatMap(({ eventId, status }) => (status === 200 ? [eventId] : [])),
      });
    };

    /** An organization with webhooks, an automation, and a function that emits its events. */
    const team = async () => {
      const owner = await hooks.owner();
      const { id: automationId } = await make.automation(owner);
      const { organizationId } = owner;
      return { owner, automationId, emit: () => hooks.emit({ organizationId, automationId }) };
    };

    return { program, subscriberOf, receiver, team };
  },
);

/** The answer of a call that subscribed. */
export function requireSubscribed(answer: Awaited<ReturnType<typeof subscribeToEvents>>) {
  if (answer.kind !== "subscribed") throw new Error(`It was refused: ${JSON.stringify(answer)}`);
  return answer;
}
