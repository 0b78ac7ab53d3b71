import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { RunFailure } from "@querybell/domain";
import type { Server } from "@querybell/engines";
import type { Answer } from "./messages.ts";

/** Servers that have accepted a connection of an organization, as `host:port`, by name and by resolved address. */
export interface KnownServers {
  has(server: string): Promise<boolean>;
  add(servers: string[]): Promise<void>;
}

/** The reason of a failed connection that the caller does not see; for the log of the operator. */
export interface WithheldReason {
  organizationId: string;
  server: string;
  reason: string;
}

/**
 * The attempt of one task to connect to its server. The reason of a failure is returned only for a server that has
 * accepted a connection of the organization before. Otherwise the reasons could be used to scan the operator's network.
 */
export class ServerAttempt {
  readonly #server: Server;
  readonly #name: string;
  /** The server that the outcome is about: its name, or the address that was tried last. */
  #tried: string;

  constructor(server: Server) {
    this.#server = server;
    this.#name = `${server.host}:${server.port}`;
    this.#tried = this.#name;
  }

  openSocket(addresses: readonly string[]): Promise<Socket> {
    const { port } = this.#server;
    return connectToServer(addresses, port, (address) => {
      this.#tried = `${address}:${port}`;
    });
  }

  async withholdReason(
    answer: Answer,
    known: KnownServers,
    onWithheld: (reason: Omit<WithheldReason, "organizationId">) => void,
  ): Promise<Answer> {
    if (answer.kind !== "failed") {
      await known.add([...new Set([this.#name, this.#tried])]);
      return answer;
    }
    const { code, message } = answer.failure;
    if (!connectionCodes.has(code) || (await known.has(this.#tried))) return answer;
    onWithheld({ server: this.#name, reason: message });
    return { kind: "failed", failure: withheldFailure(this.#name) };
  }
}

const connectionCodes = new Set<RunFailure["code"]>(["database_unreachable", "database_credentials_refused"]);

const withheldFailure = (server: string): RunFailure => ({
  code: "database_unreachable",
  message: `No connection to a database at ${server}. Check the host and the port, the TLS setting, the database's name, the user and the password; that the server accepts connections from here; and, if its address is private, that the operator allows it with ANALYTICS_NETWORKS. The exact reason is in the service's log. It is shown here for a server that a saved database has been connected to before.`,
});

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
