import { clientAddressHeader } from "@querybell/core/identity";
import type { FastifyRequest } from "fastify";

/** A request's headers for better-auth. The client's address is the one that we determined, not a header it sent. */
export function toFetchHeaders({ headers, ip }: FastifyRequest): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) copy.append(name, one);
  }
  copy.set(clientAddressHeader, ip);
  return copy;
}
