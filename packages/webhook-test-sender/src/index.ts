// Sends deliveries in place of the service, for tests that need deliveries which the service never sends. It shares no
// code with the kit, so that a mistake in one is not repeated in the other.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { request } from "node:http";

export interface Outgoing {
  secret: string;
  body: Uint8Array | string;
  id?: string;
  /** Unix seconds. */
  timestamp?: number;
}

export function createTestSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

export function signedHeaders({ secret, body, id = randomUUID(), timestamp = now() }: Outgoing) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  return {
    "content-type": "application/json",
    "svc-webhook-id": id,
    "svc-webhook-timestamp": String(timestamp),
    "svc-webhook-signature": `v1=${createHmac("sha256", key).update(signed).digest("hex")}`,
  };
}

export const now = () => Math.floor(Date.now() / 1000);

export function completedEvent(id: string = randomUUID()) {
  return {
    id,
    type: "automation.run.completed",
    createdAt: "2026-03-01T12:00:00.000Z",
    data: {
      automationId: "01980000-0000-7000-8000-00000000000a",
      runId: "01980000-0000-7000-8000-00000000000b",
      summary: "Revenue rose to 18,204 € – “Café” ahead.",
      chatUrl: "https://querybell.example/chats/1",
      imageUrl: null,
    },
  };
}

export interface Answered {
  status: number;
  body: string;
}

/** One delivery over real HTTP. */
export function deliver(url: string, event: { id: string }, secret: string): Promise<Answered> {
  const body = JSON.stringify(event);
  return post(url, signedHeaders({ secret, body, id: event.id }), body);
}

export function post(
  url: string,
  headers: Record<string, string | string[]>,
  body: Uint8Array | string,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers }, async (response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    });
    outgoing.on("error", reject).end(body);
  });
}
