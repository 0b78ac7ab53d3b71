import type { Socket } from "node:net";
import type { RunFailure } from "@querybell/domain";
import type { Server } from "../engine.ts";
import type { Answer } from "./messages.ts";
import { connectToServer } from "./server-socket.ts";

/** Servers that have let an organization in, each as `host:port`: by the name it uses and by the address behind it. */
export interface KnownServers {
  has(server: string): Promise<boolean>;
  add(servers: string[]): Promise<void>;
}

/** A reason that the caller was not told, for the operator. */
export interface WithheldReason {
  organizationId: string;
  server: string;
  reason: string;
}

/**
 * One task's attempt to reach its server. Why it failed is told only for a server that has let the organization in
 * before: anybody else could read from the reasons what there is in the operator's network.
 */
export class ServerAttempt {
  readonly #server: Server;
  readonly #name: string;
  /** What the outcome is about: the name until an address was tried, then that address. */
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

  async tell(
    answer: Answer,
    known: KnownServers,
    withhold: (reason: Omit<WithheldReason, "organizationId">) => void,
  ): Promise<Answer> {
    if (answer.kind !== "failed") {
      await known.add([...new Set([this.#name, this.#tried])]);
      return answer;
    }
    const { code, message } = answer.failure;
    if (!connectionCodes.has(code) || (await known.has(this.#tried))) return answer;
    withhold({ server: this.#name, reason: message });
    return { kind: "failed", failure: withheld(this.#name) };
  }
}

const connectionCodes = new Set<RunFailure["code"]>(["database_unreachable", "database_credentials_refused"]);

const withheld = (server: string): RunFailure => ({
  code: "database_unreachable",
  message: `No connection to a database at ${server}. Check the host and the port, the TLS setting, the database's name, the user and the password; that the server accepts connections from here; and, if its address is private, that the operator allows it with ANALYTICS_NETWORKS. The exact reason is in the service's log. It is shown here for a server that a saved database has been connected to before.`,
});
