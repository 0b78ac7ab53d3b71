import { once } from "node:events";
import { createServer } from "node:net";

export async function freePort(): Promise<number> {
  await using server = createServer().listen({ host: "127.0.0.1", port: 0, exclusive: true });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A listening socket has no port.");
  return address.port;
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
