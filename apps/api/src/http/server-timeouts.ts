/** How long clients may keep a connection to themselves. */
export interface ServerTimeouts {
  /** For sending a request, headers and body. */
  requestMs: number;
  /**
   * Without a byte in either direction. It ends clients that do not read their answer, and must be longer than
   * any procedure takes to answer. Subscriptions send something every 15 seconds.
   */
  silenceMs: number;
}

export const defaultTimeouts: ServerTimeouts = { requestMs: 60_000, silenceMs: 120_000 };

/** Fastify's own defaults are no limits at all. */
export const timeoutOptions = ({ requestMs, silenceMs }: ServerTimeouts) => ({
  requestTimeout: requestMs,
  connectionTimeout: silenceMs,
  http: {
    // Node takes the longer of the two for the whole request.
    headersTimeout: Math.min(20_000, requestMs),
    // How often it looks for requests that take too long.
    connectionsCheckingInterval: Math.min(5000, requestMs),
  },
});
