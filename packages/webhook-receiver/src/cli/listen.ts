import { once } from "node:events";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import type { Delivery } from "../lib/delivery.ts";
import { createReceiver, webhook } from "../node.ts";
import { secretsOf } from "./secrets-of.ts";

/** Runs until it is interrupted. */
export async function listen(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      secret: { type: "string", multiple: true },
      port: { type: "string", default: "4000" },
      host: { type: "string", default: "127.0.0.1" },
    },
  });
  const receiver = createReceiver({ secrets: secretsOf(values.secret) });
  const server = createServer(
    webhook(receiver, print, {
      onRefused: ({ code, message, hint }) => console.log(`refused  ${code}: ${message} ${hint}\n`),
    }),
  );
  server.listen(portOf(values.port), values.host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : values.port;
  console.log(`Listening on http://${values.host}:${port} (Ctrl-C to stop)\n`);

  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => server.close().closeAllConnections());
  await once(server, "close");
  return 0;
}

/** Number("x") would become port 0, which listens on any free port. */
function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new Error(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

// JSON escapes control characters, so an event cannot control the terminal.
function print(delivery: Delivery): void {
  const sentAt = new Date(delivery.timestamp * 1000).toISOString();
  console.log(`verified ${delivery.id}, sent ${sentAt}, signed with ${delivery.secretLabel}`);
  console.log(`${JSON.stringify(delivery.event(), null, 2)}\n`);
}
