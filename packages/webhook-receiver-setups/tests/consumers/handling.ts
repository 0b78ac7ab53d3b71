// Shared by the receiving programs. They report everything they do on standard output, one JSON line each.
import { createReceiver, type Delivery, type WebhookError } from "@querybell/webhook-receiver";
import { memoryDedupe } from "@querybell/webhook-receiver/memory";

export const report = (line: Record<string, unknown>) => console.log(JSON.stringify(line));

const dedupe = memoryDedupe();
const options = { secrets: process.env.WEBHOOK_SECRET, dedupe, maxBodyBytes: 10_000 };
export const receiver = createReceiver(options);

const disconnected = Promise.withResolvers<void>();
export const clientDisconnected = () => disconnected.resolve();

/** A dedupe store that claims an event only after its sender has disconnected. */
export const slowReceiver = createReceiver({
  ...options,
  dedupe: {
    ...dedupe,
    async claim(key) {
      report({ claiming: key.replace("default:", "") });
      await disconnected.promise;
      return dedupe.claim(key);
    },
  },
});

const failed = new Set<string>();

/** Values that a framework could mistake for no error when a handler throws them. */
const thrownValues = new Map<string, unknown>([
  ["undefined", undefined],
  ["null", null],
  ["zero", 0],
  ["empty", ""],
  ["route", "route"],
  ["router", "router"],
  ["object", { status: 200, statusCode: 200 }],
]);

/** Fails on the first delivery of each event whose id starts with `fail`. */
export async function handle(delivery: Delivery): Promise<void> {
  const { id } = delivery;
  if (id.startsWith("fail") && !failed.has(id)) {
    failed.add(id);
    throw new Error("The disk is full.");
  }
  const [, thrown] = /^throw-(\w+)-/.exec(id) ?? [];
  if (thrown) throw thrownValues.get(thrown);
  if (id.startsWith("impostor")) {
    throw Object.assign(new Error("The password is hunter2."), {
      name: "WebhookError",
      code: "malformed_id",
    });
  }
  if (id.startsWith("read")) delivery.event();
  report({ handled: id, body: Buffer.from(delivery.body).toString("base64") });
}

const waiting = Promise.withResolvers<void>();
export const release = waiting.resolve;

/** Waits for `release`, so that an answer in the meantime cannot have waited for it. */
export async function handleLater(delivery: Delivery): Promise<void> {
  await waiting.promise;
  await handle(delivery);
}

export const onRefused = ({ code, hint }: WebhookError) => report({ refused: code, hint });
export const onError = (error: unknown) => report({ error: String(error) });
export const later = { answer: "before-handler", onRefused, onError } as const;

/** Listeners that fail: one at once, one later. */
export const failing = {
  answer: "before-handler",
  onRefused: ({ code }: WebhookError) => {
    report({ failing: code });
    throw new Error("The log is full.");
  },
  onError: async (error: unknown) => {
    report({ failing: String(error) });
    throw new Error("The log is full.");
  },
} as const;
