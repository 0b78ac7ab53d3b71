import {
  Agent,
  type ClientRequestArgs,
  type IncomingHttpHeaders,
  type RequestOptions,
  request,
} from "node:http";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { ConnectionContext } from "../engine.ts";
import type { TrinoConfiguration } from "./trino-engine.ts";

export interface HttpRequest {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

type ServerSettings = Pick<TrinoConfiguration, "host" | "port" | "tls" | "tlsCertificateAuthority">;

/**
 * HTTP over connections that the parent opens, kept alive between requests. Redirects are not followed, because only
 * the configured server may be contacted.
 */
export class ServerHttp {
  readonly #agent: SocketAgent;
  readonly #host: string;

  constructor(settings: ServerSettings, openSocket: ConnectionContext["openSocket"]) {
    this.#agent = new SocketAgent(async () => secure(await openSocket(), settings));
    this.#host = hostHeader(settings);
  }

  request({ method, path, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    const options: RequestOptions = {
      agent: this.#agent,
      method,
      path,
      headers: {
        ...headers,
        Host: this.#host,
        ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }),
      },
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The value of the header `Host`, from which the server builds the addresses of pages. */
export const hostHeader = ({ host, port }: Pick<ServerSettings, "host" | "port">): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

class SocketAgent extends Agent {
  readonly #open: () => Promise<Socket>;

  constructor(open: () => Promise<Socket>) {
    super({ keepAlive: true });
    this.#open = open;
  }

  override createConnection(
    _: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#open().then(
      (socket) => callback?.(null, socket),
      // The type requires a stream, but Node ignores it if there is an error.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
  }
}

async function secure(socket: Socket, settings: ServerSettings): Promise<Socket> {
  const { host, tls, tlsCertificateAuthority } = settings;
  if (tls === "off") {
    // The parent paused it, so that no bytes were read before the host received it.
    socket.resume();
    return socket;
  }
  const encrypted = connectTls({
    socket,
    rejectUnauthorized: tls === "verify",
    // The certificate is checked against the name, not the resolved address.
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tlsCertificateAuthority && { ca: tlsCertificateAuthority }),
    ALPNProtocols: ["http/1.1"],
  });
  const secured = Promise.withResolvers<Socket>();
  encrypted.once("secureConnect", () => secured.resolve(encrypted));
  encrypted.once("error", secured.reject);
  encrypted.once("close", () =>
    secured.reject(new Error("the connection was closed during the TLS handshake")),
  );
  return secured.promise;
}
