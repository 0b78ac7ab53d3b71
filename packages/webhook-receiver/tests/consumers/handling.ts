// What the receiving programs have in common. Everything they do is told on standard output, a JSON line each.
import { createReceiver, type Delivery, type WebhookError } from "@querybell/webhook-receiver";
import { memoryDedupe } from "@querybell/webhook-receiver/memory";

export const receiver = createReceiver({
  secrets: process.env.WEBHOOK_SECRET,
  dedupe: memoryDedupe(),
  maxBodyBytes: 10_000,
});

export const say = (line: Record<string, unknown>) => console.log(JSON.stringify(line));

const failed = new Set<string>();

/** Fails on the first delivery of each event whose id says so. */
export async function handle(delivery: Delivery): Promise<void> {
  const { id } = delivery;
  if (id.startsWith("fail") && !failed.has(id)) {
    failed.add(id);
    throw new Error("The disk is full.");
  }
  say({ handled: id, body: Buffer.from(delivery.body).toString("base64") });
}

const waiting = Promise.withResolvers<void>();
export const release = waiting.resolve;

/** Waits for `release`, so that an answer in the meantime cannot have waited for it. */
export async function handleLater(delivery: Delivery): Promise<void> {
  await waiting.promise;
  await handle(delivery);
}

export const onRefused = ({ code, hint }: WebhookError) => say({ refused: code, hint });
export const onError = (error: unknown) => say({ error: String(error) });
export const later = { answer: "before-handler", onRefused, onError } as const;
