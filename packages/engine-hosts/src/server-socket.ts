import { once } from "node:events";
import { connect, type Socket } from "node:net";

const connectMs = 10_000;

/** Connects to the first of these addresses that answers. The socket is passed to a host, which has no network. */
export async function connectToServer(
  addresses: readonly string[],
  port: number,
  onTry: (address: string) => void = () => {},
): Promise<Socket> {
  let lastError: unknown = new Error("it has no address");
  for (const host of addresses) {
    onTry(host);
    const socket = connect({ host, port, noDelay: true, keepAlive: true });
    // Otherwise this process would read bytes that are meant for the host.
    socket.pause();
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(connectMs) });
      return socket;
    } catch (error) {
      socket.destroy();
      lastError = isTimeout(error) ? new Error(`no answer within ${connectMs / 1000} seconds`) : error;
    }
  }
  throw lastError;
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
