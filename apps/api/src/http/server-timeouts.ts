/** Timeouts for slow and idle clients. */
export interface ServerTimeouts {
  /** To send the headers and the body of a request that is not an upload. */
  requestMs: number;
  /** To send the headers and the body of an upload. */
  uploadMs: number;
  /**
   * Without a byte in either direction. It disconnects clients that do not read their response, and must be longer
   * than any procedure takes. Subscriptions send a ping every 15 seconds.
   */
  idleMs: number;
}

export const defaultTimeouts: ServerTimeouts = { requestMs: 60_000, uploadMs: 3_600_000, idleMs: 120_000 };

/** The options for Fastify, which by default has no timeouts. */
export const timeoutOptions = ({ requestMs, uploadMs, idleMs }: ServerTimeouts) => ({
  requestTimeout: uploadMs,
  connectionTimeout: idleMs,
  http: {
    // Node applies the longer of headersTimeout and requestTimeout to the whole request.
    headersTimeout: Math.min(20_000, requestMs),
    // How often Node checks for requests that exceed the timeouts.
    connectionsCheckingInterval: Math.min(5000, requestMs),
    // An idle connection closes this long after the time that its client was told. A client that is late, as on a busy
    // machine, would otherwise send a request into a connection that is being closed, and get no answer.
    keepAliveTimeoutBuffer: 10_000,
  },
});
