import { z } from "zod";

/** The part of a sealer of `@querybell/sealing` that is needed here. */
interface Sealer {
  seal(purpose: string, plain: Uint8Array): string;
  open(purpose: string, sealed: string): Uint8Array;
}
export type Unsealer = Pick<Sealer, "open">;

// The purpose contains the endpoint: a value that is sealed for one endpoint cannot be opened for another.
const secretPurpose = (endpointId: string) => `webhook secret of ${endpointId}`;
const headersPurpose = (endpointId: string) => `webhook headers of ${endpointId}`;

const Headers = z.record(z.string(), z.string());

export const sealSecret = (sealer: Sealer, endpointId: string, secret: string): string =>
  sealer.seal(secretPurpose(endpointId), Buffer.from(secret));

export const openSecret = (sealer: Unsealer, endpointId: string, sealed: string): string =>
  Buffer.from(sealer.open(secretPurpose(endpointId), sealed)).toString();

export const sealHeaders = (sealer: Sealer, endpointId: string, headers: Record<string, string>): string =>
  sealer.seal(headersPurpose(endpointId), Buffer.from(JSON.stringify(headers)));

export const openHeaders = (sealer: Unsealer, endpointId: string, sealed: string): Record<string, string> =>
  Headers.parse(JSON.parse(Buffer.from(sealer.open(headersPurpose(endpointId), sealed)).toString()));
