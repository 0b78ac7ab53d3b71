import { setTimeout as wait } from "node:timers/promises";
import { EngineError } from "../engine.ts";
import { parseExactJson } from "../results/json-value.ts";
import { toHttpError } from "./errors.ts";
import { endedStates, QueryList, ResultPage } from "./protocol.ts";
import { type HttpRequest, type HttpResponse, hostHeader, type ServerHttp } from "./server-http.ts";
import type { TrinoConfiguration } from "./trino-engine.ts";

// The protocol asks clients to retry these: a proxy or a busy coordinator has not accepted the request.
const retriedStatuses = new Set([429, 502, 503, 504]);
const retryDelaysMs = [50, 100, 200, 400, 800, 1600];

export interface PageWithHeaders extends ResultPage {
  headers: HttpResponse["headers"];
}

/** Trino's client protocol: a statement is posted, and the pages of its result are fetched one after the other. */
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

  post(statement: string, signal?: AbortSignal): Promise<PageWithHeaders> {
    const body = { headers: this.#headers, body: statement, ...(signal && { signal }) };
    return this.#page({ method: "POST", path: "/v1/statement", ...body });
  }

  /** The server answers after up to a second, or earlier if there is new data. */
  next(nextUri: string): Promise<PageWithHeaders> {
    return this.#page({ method: "GET", path: this.#pathOf(nextUri), headers: this.#headers });
  }

  /** Ends the statement whose next page this is. */
  async cancel(nextUri: string): Promise<void> {
    await this.#http.request({ method: "DELETE", path: this.#pathOf(nextUri), headers: this.#headers });
  }

  /** The queries of this user that carry this label and have not ended. */
  async listUnfinishedQueries(label: string): Promise<string[]> {
    const response = await this.#request({ method: "GET", path: "/v1/query", headers: this.#headers });
    const { data: queries } = QueryList.safeParse(parseJson(response.text));
    if (response.status !== 200 || !queries) throw this.#toHttpError(response);
    return queries
      .filter(({ state, session }) => session.traceToken === label && !endedStates.has(state))
      .map(({ queryId }) => queryId);
  }

  async kill(queryId: string): Promise<void> {
    const path = `/v1/query/${encodeURIComponent(queryId)}`;
    await this.#http.request({ method: "DELETE", path, headers: this.#headers });
  }

  async #page(request: HttpRequest): Promise<PageWithHeaders> {
    const response = await this.#request(request);
    if (response.status !== 200) throw this.#toHttpError(response);
    const { data: page } = ResultPage.safeParse(parseJson(response.text));
    if (!page) throw this.#toHttpError(response);
    return { ...page, headers: response.headers };
  }

  async #request(request: HttpRequest): Promise<HttpResponse> {
    for (let attempt = 0; ; attempt++) {
      const delayMs = retryDelaysMs[attempt];
      try {
        const response = await this.#http.request(request);
        if (!retriedStatuses.has(response.status) || delayMs === undefined) return response;
      } catch (error) {
        // A page can be fetched twice. A statement that may have been accepted must not be posted twice.
        if (request.method !== "GET" || delayMs === undefined) throw error;
      }
      await wait(delayMs);
    }
  }

  /** The message may be shown and logged. A server could return the credentials that it was sent, so they are removed. */
  #toHttpError({ status, text }: HttpResponse): EngineError {
    const [, secret = ""] = this.#headers.Authorization?.split(" ") ?? [];
    return toHttpError(status, secret === "" ? text : text.replaceAll(secret, "…"), this.#configuration.host);
  }

  /** The server returns the address of the next page. Only addresses of the configured server are requested. */
  #pathOf(nextUri: string): string {
    const { tls } = this.#configuration;
    const expected = `${tls === "off" ? "http" : "https"}://${hostHeader(this.#configuration)}/`;
    const next = URL.parse(nextUri);
    if (next && `${next.protocol}//${portedHost(next)}/` === expected.toLowerCase()) {
      if (next.pathname.startsWith("/v1/statement/") && !next.username) return next.pathname + next.search;
    }
    throw new EngineError(
      "database_unreachable",
      `Trino returned an address at ${next?.origin ?? "another server"} instead of ${expected}. Other addresses are not requested. If a proxy is in front of Trino, set http-server.process-forwarded=true in Trino's configuration and let the proxy send X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Port.`,
    );
  }
}

/** Adds the default port, which URL omits. */
const portedHost = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;

/** Keeps all digits of 64-bit integers. Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
