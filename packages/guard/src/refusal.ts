/** Why we do not connect to a URL, a host or an address. */
export interface Refusal {
  /**
   * `refused_url`: the URL or host is malformed or of a kind that we do not call. `refused_address`: it is, or
   * resolves to, an address that the policy does not allow. `dns`: the name could not be resolved.
   */
  kind: "refused_url" | "refused_address" | "dns";
  /** What is wrong and what to do, for the person who set the URL or host. */
  message: string;
}
