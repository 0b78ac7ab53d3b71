import { PostgresCredentials } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface Owner {
  organizationId: string;
  id: string;
}

// The organization and the configuration are part of the seal: copied to another row, it does not open.
const purpose = ({ organizationId, id }: Owner) => `database credentials ${organizationId} ${id}`;

export const sealCredentials = (
  { sealer }: Pick<Deps, "sealer">,
  owner: Owner,
  credentials: PostgresCredentials,
): string => sealer.seal(purpose(owner), Buffer.from(JSON.stringify(credentials)));

export const openCredentials = (
  { sealer }: Pick<Deps, "sealer">,
  owner: Owner,
  sealed: string,
): PostgresCredentials =>
  PostgresCredentials.parse(JSON.parse(Buffer.from(sealer.open(purpose(owner), sealed)).toString()));
