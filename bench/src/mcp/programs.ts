import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { McpReply, toMcpRequest } from "./mcp-request.ts";

const Challenge = z.object({ type: z.literal("verification"), challenge: z.string() });
const Sent = z.object({ eventId: z.string(), cursor: z.string() });

export interface SentEvent extends z.infer<typeof Sent> {
  body: string;
}

/** The receiver of programs. It answers challenges and keeps the events of each path. */
export async function startProgramReceiver() {
  const byPath = new Map<string, SentEvent[]>();
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const body = (await buffer(request)).toString();
    const json: unknown = JSON.parse(body);
    const challenge = Challenge.safeParse(json);
    if (challenge.success) {
      response.end(JSON.stringify({ challenge: challenge.data.challenge }));
      return;
    }
    const { url: path = "" } = request;
    const events = byPath.get(path) ?? [];
    byPath.set(path, events);
    events.push({ ...Sent.parse(json), body });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    eventsAt: (path: string): readonly SentEvent[] => byPath.get(path) ?? [],
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const Subscribed = z.object({ cursor: z.string(), truncated: z.boolean() });

interface Subscription {
  apiUrl: string;
  key: string;
  url: string;
  cursor: string | null;
}

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
/** Subscribes over HTTP, and tries again while the api is down. */
export async function subscribe({ apiUrl, key, url, cursor }: Subscription) {
  const delivery = { mode: "webhook", url, secret };
  const params = { name: "automation.run.completed", arguments: {}, delivery, cursor };
  const { headers, body } = toMcpRequest({ key, method: "events/subscribe", params });
  for (;;) {
    try {
      const signal = AbortSignal.timeout(20_000);
      const answer = await fetch(`${apiUrl}/mcp`, { method: "POST", headers, body, signal });
      return Subscribed.parse(McpReply.parse(await answer.json()).result);
    } catch (error) {
      if (error instanceof z.ZodError) throw error;
      await delay(100);
    }
  }
}
