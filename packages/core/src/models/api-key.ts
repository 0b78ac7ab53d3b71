import { AppError } from "@querybell/domain";
import { UnsealError } from "@querybell/sealing";
import type { Deps } from "../deps.ts";

interface Owner {
  organizationId: string;
  url: string;
}

// The organization and the server are authenticated, so a key is never sent to another server.
const purpose = ({ organizationId, url }: Owner) => `model api key ${organizationId} ${url}`;

export const sealApiKey = ({ sealer }: Pick<Deps, "sealer">, owner: Owner, apiKey: string): string =>
  sealer.seal(purpose(owner), Buffer.from(apiKey));

export function openApiKey({ sealer }: Pick<Deps, "sealer">, owner: Owner, sealed: string): string {
  try {
    return Buffer.from(sealer.open(purpose(owner), sealed)).toString();
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new AppError("conflict", "The stored key of the model can no longer be opened. Enter it again.", {
      cause: error,
    });
  }
}
