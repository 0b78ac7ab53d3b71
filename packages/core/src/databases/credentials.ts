import { AppError, type DatabaseCredentials } from "@querybell/domain";
import { UnsealError } from "@querybell/sealing";
import type { Deps } from "../deps.ts";

interface Owner {
  organizationId: string;
  id: string;
}

// The organization and the configuration are authenticated, so a sealed value copied to another row cannot be opened.
const purpose = ({ organizationId, id }: Owner) => `database credentials ${organizationId} ${id}`;

export const sealCredentials = (
  { sealer }: Pick<Deps, "sealer">,
  owner: Owner,
  credentials: DatabaseCredentials,
): string => sealer.seal(purpose(owner), Buffer.from(JSON.stringify(credentials)));

/** What was sealed; the engine's schema parses it. */
export function openCredentials({ sealer }: Pick<Deps, "sealer">, owner: Owner, sealed: string): unknown {
  try {
    return JSON.parse(Buffer.from(sealer.open(purpose(owner), sealed)).toString());
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new AppError(
      "database_credentials_refused",
      "The stored credentials of this database can no longer be opened. An admin has to enter them again.",
      { cause: error },
    );
  }
}
