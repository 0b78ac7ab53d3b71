import {
  createReceiver,
  type Delivery,
  WebhookError,
  type WebhookErrorCode,
} from "@querybell/webhook-receiver";
import { type ChangedRow, isEvent } from "@querybell/webhook-receiver/events";
import { webhook as express } from "@querybell/webhook-receiver/express";
import { webhook as fastify } from "@querybell/webhook-receiver/fastify";
import { webhook as hono } from "@querybell/webhook-receiver/hono";
import { memoryDedupe } from "@querybell/webhook-receiver/memory";
import { webhook as next } from "@querybell/webhook-receiver/next";
import { createReceiver as createNodeReceiver, webhook as node } from "@querybell/webhook-receiver/node";
import { postgresDedupe } from "@querybell/webhook-receiver/postgres";
import {
  createFakeSender,
  createSecret,
  sampleEvent,
  signRequest,
} from "@querybell/webhook-receiver/testing";

const receiver = createReceiver({ secrets: process.env.WEBHOOK_SECRET, dedupe: memoryDedupe() });
const nodeReceiver = createNodeReceiver({ secrets: [{ secret: createSecret(), label: "new" }] });

export async function use(delivery: Delivery): Promise<string | null> {
  const event = delivery.event();
  if (!event.known) return event.type;
  if (event.type === "automation.run.failed") return event.data.reason;
  return event.data.imageUrl;
}

/** Programs that narrowed on the types of 0.1.0 still do; the others are asked for by name. */
export function rowsOf(delivery: Delivery): ChangedRow[] {
  const event = delivery.event();
  if (isEvent(event, "automation.rows.changed") && event.data.part <= event.data.parts)
    return event.data.rows;
  if (isEvent(event, "automation.condition.met"))
    throw new Error(event.data.facts.map(({ kind }) => kind).join());
  return event.known && event.type === "automation.run.failed" ? [] : [];
}

export async function verify(request: Request): Promise<WebhookErrorCode | "ok"> {
  try {
    await receiver.verify(request);
    nodeReceiver.verifySync({ headers: request.headers, body: await request.text() });
    return "ok";
  } catch (error) {
    if (error instanceof WebhookError) return error.code;
    throw error;
  }
}

export const fetchHandler: (request: Request) => Promise<Response> = next(receiver, use);
export const adapters = [express, fastify, hono, node].map((adapt) => adapt(receiver, use));
export const store = postgresDedupe({
  query: async (text: string, values: unknown[]) => ({ rows: [text, values] }),
});

const signed = await signRequest({ secret: createSecret(), payload: sampleEvent() });
export const request = new Request("http://localhost/", { method: "POST", ...signed });
export const sender = createFakeSender({ target: fetchHandler, secret: createSecret() });
