import { type Clock, isRestRetired, type RestCompatibility } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { createTtlCache } from "../ttl-cache.ts";

interface RestState {
  slug: string;
  retired: boolean;
  /** When the routes will be retired, if a date is set. */
  sunsetAt: Date | null;
}

interface StoredState {
  slug: string;
  restCompatibility: RestCompatibility;
  restSunsetAt: Date | null;
}

// A change takes effect in every process within this time.
const cacheTtlMs = 5_000;

/** Returns a cached lookup of whether the published REST routes are live for an organization. */
export function createRestStates({ db, clock }: Pick<Deps, "db" | "clock">) {
  const states = createTtlCache({
    clock,
    lifetimeMs: cacheTtlMs,
    maxEntries: 10_000,
    load: (organizationId) => readState(db, organizationId),
  });
  return async (organizationId: string): Promise<RestState> =>
    toState(await states.get(organizationId), clock);
}

const toState = ({ slug, ...stored }: StoredState, clock: Clock): RestState => ({
  slug,
  retired: isRestRetired(stored, clock.now()),
  sunsetAt: stored.restSunsetAt,
});

async function readState(db: Deps["db"], organizationId: string): Promise<StoredState> {
  const { rows } = await db.pool.query<StoredState>({
    name: "read_rest_state",
    text: `
      SELECT slug, rest_compatibility AS "restCompatibility", rest_sunset_at AS "restSunsetAt"
      FROM organizations WHERE id = $1`,
    values: [organizationId],
  });
  const [row] = rows;
  // The organization was deleted after its key was read.
  return row ?? { slug: "none", restCompatibility: "retired", restSunsetAt: null };
}
