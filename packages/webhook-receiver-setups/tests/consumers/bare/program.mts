// Compiled without the DOM's types and without Node's.
import { createReceiver, type Delivery, type WebhookHeaders } from "@querybell/webhook-receiver";
import { isEvent } from "@querybell/webhook-receiver/events";
import { webhook as hono } from "@querybell/webhook-receiver/hono";
import { memoryDedupe } from "@querybell/webhook-receiver/memory";
import { webhook as next } from "@querybell/webhook-receiver/next";
import { postgresDedupe } from "@querybell/webhook-receiver/postgres";
import { createFakeSender, createSecret, signRequest } from "@querybell/webhook-receiver/testing";

const receiver = createReceiver({ secrets: createSecret(), dedupe: memoryDedupe() });

export const verify = (headers: WebhookHeaders, body: Uint8Array): Promise<Delivery> =>
  receiver.verify({ headers, body });
export const adapters = [hono, next].map((adapt) => adapt(receiver, ({ id }) => id));
export const store = postgresDedupe({ query: async () => ({ rows: [] }) });
export const signed = await signRequest({ secret: createSecret(), payload: "text" });
export const sender = createFakeSender({ target: "http://localhost:3000/", secret: createSecret() });
export const isRows = (delivery: Delivery): boolean => isEvent(delivery.event(), "automation.rows.changed");
