import { asService, type Database, nilId, onPool, type Rights, type RunStatement } from "@querybell/db";
import type { Caller, Clock } from "@querybell/domain";
import { createTtlCache } from "../ttl-cache.ts";
import { encodeSystemValues, personColumns, seenByValue, toSystemValues } from "./system-values.ts";

type Person = Pick<Caller, "organizationId" | "userId" | "seenBy">;

export interface RightsCache {
  /** What a caller may see and change. Undefined: everything of their organization. */
  of(caller: Pick<Caller, "organizationId" | "userId" | "seenBy" | "via">): Promise<Rights | undefined>;
  /** Forgets the rights in an organization. Call it after the commit that changes them. */
  forget(organization: Pick<Caller, "organizationId">): void;
}

// A changed right takes effect at once in the process that made the change, and in every other within this time.
const cacheTtlMs = 5_000;

/** The rights that this process has read in the last five seconds. */
export function createRightsCache({ db, clock }: { db: Database; clock: Clock }): RightsCache {
  const cache = createTtlCache({
    clock,
    lifetimeMs: cacheTtlMs,
    maxEntries: 10_000,
    load: async (key) => {
      const [organizationId = "", userId = "", keyId, seenBy] = key.split(" ");
      const read = () =>
        readRights(onPool(db), {
          ...{ organizationId, userId },
          ...(keyId && { keyId }),
          ...(seenBy && { seenBy }),
        });
      return { organizationId, rights: await asService(read) };
    },
  });
  return {
    async of({ organizationId, userId, seenBy = "", via }) {
      const keyId = via.kind === "key" && via.isNarrowed ? via.keyId : "";
      return (await cache.get([organizationId, userId, keyId, seenBy].join(" "))).rights;
    },
    forget: ({ organizationId }) => cache.deleteWhere((entry) => entry.organizationId === organizationId),
  };
}

interface RightsRow extends Omit<Rights, "userId" | "values"> {
  narrowsFolders: boolean;
  /** Null for somebody who is not a member. */
  email: string | null;
  groups: string[] | null;
  attributes: unknown;
  roles: Record<string, string | null> | null;
}

/** Reads what a person may see and change. Undefined: everything. */
export async function readRights(
  runStatement: RunStatement,
  { organizationId, userId, keyId, seenBy }: Person & { keyId?: string },
): Promise<Rights | undefined> {
  const [row] = await runStatement<RightsRow>({
    name: "read_rights",
    text: `
      SELECT folders::text[], editable_folders::text[] AS "editableFolders", databases::text[],
        writable_databases::text[] AS "writableDatabases",
        coalesce((SELECT narrows_folders FROM api_keys WHERE id = $3::uuid), false) AS "narrowsFolders", person.*
      FROM querybell_rights($1::uuid, $2::uuid, $3::uuid) LEFT JOIN (
        SELECT ${personColumns} FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.organization_id = $1::uuid AND m.user_id = $2::uuid) AS person ON true`,
    values: [organizationId, userId, keyId ?? null],
  });
  if (!row) return undefined;
  const { narrowsFolders, email, groups, attributes, roles, ...rights } = row;
  const values =
    email === null
      ? {}
      : encodeSystemValues({
          ...toSystemValues({ email, groups: groups ?? [], attributes, roles }),
          ...seenByValue(seenBy),
        });
  // What a person made outside of folders is theirs, but not that of a key for some folders.
  return { userId: narrowsFolders ? nilId : userId, ...rights, values };
}
