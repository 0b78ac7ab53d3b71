import { asService, type Database, type Rights } from "@querybell/db";
import { type Caller, type Clock, isAtLeast } from "@querybell/domain";
import { createTtlCache } from "../ttl-cache.ts";

type Person = Pick<Caller, "organizationId" | "userId">;

export interface RightsCache {
  /** What a caller may see and change. Undefined: everything of their organization. */
  of(caller: Pick<Caller, "organizationId" | "userId" | "role">): Promise<Rights | undefined>;
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
      const [organizationId = "", userId = ""] = key.split(" ");
      return { organizationId, rights: await readRights({ db }, { organizationId, userId }) };
    },
  });
  return {
    async of({ organizationId, userId, role }) {
      if (isAtLeast(role, "admin")) return undefined;
      return (await cache.get(`${organizationId} ${userId}`)).rights;
    },
    forget: ({ organizationId }) => cache.deleteWhere((entry) => entry.organizationId === organizationId),
  };
}

/** Reads what a person may see and change. Undefined: everything. */
export async function readRights(
  { db }: { db: Pick<Database, "pool"> },
  { organizationId, userId }: Person,
): Promise<Rights | undefined> {
  const { rows } = await asService(() =>
    db.pool.query<Omit<Rights, "userId">>({
      name: "read_rights",
      text: `
        SELECT folders::text[], editable_folders::text[] AS "editableFolders", databases::text[],
          writable_databases::text[] AS "writableDatabases"
        FROM querybell_rights($1, $2)`,
      values: [organizationId, userId],
    }),
  );
  const [row] = rows;
  return row && { userId, ...row };
}
