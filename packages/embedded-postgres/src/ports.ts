import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the ephemeral port range: the system could assign one of those to an outgoing connection at any moment.
const first = 10_000;
const last = 32_767;

/** A port that is free now, and stays free unless a program requests exactly this one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last + 1);
    if (await isFree(port)) return port;
  }
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ host: "127.0.0.1", port, exclusive: true });
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  await server[Symbol.asyncDispose]();
  return true;
}
