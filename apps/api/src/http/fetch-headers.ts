import { clientAddressHeader } from "@querybell/core/identity";
import type { FastifyRequest } from "fastify";

/** A request's headers for better-auth, with the client's address as we know it and not as it claims. */
export function toFetchHeaders({ headers, ip }: FastifyRequest): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) copy.append(name, one);
  }
  copy.set(clientAddressHeader, ip);
  return copy;
}
