import { randomBytes } from "node:crypto";
import { webhookEventCatalogue } from "@querybell/domain/webhook-event-catalogue";
import { createReceiver } from "@querybell/webhook-receiver";
import { type EventTypes, isEvent } from "@querybell/webhook-receiver/events";
import { sampleEvent, signRequest } from "@querybell/webhook-receiver/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const kitTypes = {
  "automation.run.completed": true,
  "automation.run.failed": true,
  "automation.condition.met": true,
  "automation.condition.resolved": true,
  "automation.rows.changed": true,
  "audit.entry.created": true,
} satisfies Record<keyof EventTypes, true>;

const isKitType = (type: string): type is keyof EventTypes => type in kitTypes;

test.each(webhookEventCatalogue.map((entry) => [entry.type, entry] as const))(
  "the receiver kit reads the example of %s, and the schema fits its own sample",
  async (type, { schema, example }) => {
    if (!isKitType(type)) expect.unreachable(`The receiver kit has no types for ${type}.`);
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const signed = await signRequest({ secret, payload: JSON.stringify(example), id: idOf(example) });
    const delivery = await createReceiver({ secrets: secret }).verify(signed);
    expect(isEvent(delivery.event(), type)).toBe(true);
    const Body = z.fromJSONSchema(Object(schema));
    expect(Body.safeParse(sampleEvent(type)).error).toBeUndefined();
    expect(Body.safeParse(example).error).toBeUndefined();
    expect(Body.safeParse({ ...Object(example), data: {} }).success).toBe(false);
  },
);

const idOf = (body: unknown): string => z.object({ id: z.string() }).parse(body).id;
