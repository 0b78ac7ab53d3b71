import { setTimeout as wait } from "node:timers/promises";
import { EngineError } from "../engine.ts";
import { parseExactJson } from "../results/exact-json.ts";
import { toHttpError } from "./errors.ts";
import { endedStates, QueryList, ResultPage } from "./protocol.ts";
import { type HttpRequest, type HttpResponse, hostHeader, type ServerHttp } from "./server-http.ts";
import type { TrinoConfiguration } from "./trino-engine.ts";

// The protocol asks clients to repeat these: a proxy or a busy coordinator has not taken the request.
const retriedStatuses = new Set([429, 502, 503, 504]);
const retryDelaysMs = [50, 100, 200, 400, 800, 1600];

export interface SentPage extends ResultPage {
  headers: HttpResponse["headers"];
}

/** Trino's client protocol: a statement is posted, and its answers are fetched one after the other. */
export class StatementClient {
  readonly #http: ServerHttp;
  readonly #configuration: TrinoConfiguration;
  readonly #headers: Record<string, string>;

  constructor(http: ServerHttp, configuration: TrinoConfiguration, headers: Record<string, string>) {
    this.#http = http;
    this.#configuration = configuration;
    this.#headers = headers;
  }

  with(headers: Record<string, string>): StatementClient {
    return new StatementClient(this.#http, this.#configuration, { ...this.#headers, ...headers });
  }

  post(statement: string, signal?: AbortSignal): Promise<SentPage> {
    const body = { headers: this.#headers, body: statement, ...(signal && { signal }) };
    return this.#page({ method: "POST", path: "/v1/statement", ...body });
  }

  /** Waits on the server for up to a second until there is something new. */
  next(nextUri: string): Promise<SentPage> {
    return this.#page({ method: "GET", path: this.#pathOf(nextUri), headers: this.#headers });
  }

  /** Ends the statement of which this is the next answer. */
  async cancel(nextUri: string): Promise<void> {
    await this.#http.request({ method: "DELETE", path: this.#pathOf(nextUri), headers: this.#headers });
  }

  /** The queries of this user that carry this label and have not ended. */
  async listUnfinished(label: string): Promise<string[]> {
    const response = await this.#request({ method: "GET", path: "/v1/query", headers: this.#headers });
    const { data: queries } = QueryList.safeParse(parseJson(response.text));
    if (response.status !== 200 || !queries) throw toHttpError(response, this.#configuration.host);
    return queries
      .filter(({ state, session }) => session.traceToken === label && !endedStates.has(state))
      .map(({ queryId }) => queryId);
  }

  async kill(queryId: string): Promise<void> {
    const path = `/v1/query/${encodeURIComponent(queryId)}`;
    await this.#http.request({ method: "DELETE", path, headers: this.#headers });
  }

  async #page(request: HttpRequest): Promise<SentPage> {
    const response = await this.#request(request);
    if (response.status !== 200) throw toHttpError(response, this.#configuration.host);
    const { data: page } = ResultPage.safeParse(parseJson(response.text));
    if (!page) throw toHttpError(response, this.#configuration.host);
    return { ...page, headers: response.headers };
  }

  async #request(request: HttpRequest): Promise<HttpResponse> {
    for (let attempt = 0; ; attempt++) {
      const delayMs = retryDelaysMs[attempt];
      try {
        const response = await this.#http.request(request);
        if (!retriedStatuses.has(response.status) || delayMs === undefined) return response;
      } catch (error) {
        // An answer can be fetched twice; a statement that may have been taken must not be posted twice.
        if (request.method !== "GET" || delayMs === undefined) throw error;
      }
      await wait(delayMs);
    }
  }

  /** The server says where to ask next. We ask nobody but the server that is configured. */
  #pathOf(nextUri: string): string {
    const { tls } = this.#configuration;
    const expected = `${tls === "off" ? "http" : "https"}://${hostHeader(this.#configuration)}/`;
    const next = URL.parse(nextUri);
    if (next && `${next.protocol}//${portedHost(next)}/` === expected.toLowerCase()) {
      if (next.pathname.startsWith("/v1/statement/") && !next.username) return next.pathname + next.search;
    }
    throw new EngineError(
      "database_unreachable",
      `Trino wants to be asked at ${next?.origin ?? "another address"} instead of ${expected}, which is not followed. If a proxy stands before it, set http-server.process-forwarded=true in Trino's configuration and let the proxy send X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Port.`,
    );
  }
}

/** URL leaves the default port out. */
const portedHost = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;

/** Integers of 64 bits must not lose digits. */
function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
