/** The program that sends a request, as far as the request says. */
export interface Client {
  /** The IP address that the API has determined. */
  address: string | null;
  userAgent: string | null;
}

const maxUserAgentLength = 500;

/** The header in which the API passes the client's address on. The API removes it from requests. */
export const clientAddressHeader = "x-querybell-client-address";

export const toClient = (headers: Headers): Client => ({
  address: headers.get(clientAddressHeader),
  userAgent: headers.get("user-agent")?.slice(0, maxUserAgentLength) ?? null,
});
