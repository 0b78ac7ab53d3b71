// The cost of rights: lists and searches of a member who sees half of 1,000 folders, through 20 of 100 groups, compared
// with the same list without rights. Measured alternately in one run, so that other load affects both alike.

import type { Deps } from "@querybell/core";
import { type Rights, withRights } from "@querybell/core/access";
import { listItems } from "@querybell/core/library";
import { listQueries } from "@querybell/core/queries";
import { search } from "@querybell/core/search";
import { type Caller, ListItems, newId } from "@querybell/domain";
import { median, printFigures } from "./measuring/measuring.ts";
import { openDatabase } from "./measuring/open-database.ts";

const queries = 10_000;
const rounds = 300;

await using opened = new AsyncDisposableStack();
const { deps } = await openDatabase(opened);

const caller = await fill(deps);
const rights = await deps.rights.of(caller);
if (!rights) throw new Error("Nothing is narrowed.");
console.log(`The member sees ${rights.folders.length} of 1,001 places.`);

const page = { limit: 50 };
const lists = {
  "the published list": () => listQueries(deps, caller, page),
  "by name": () =>
    listItems(deps, caller, ListItems.parse({ kind: "query", sort: "name", order: "ascending", ...page })),
  "by change": () => listItems(deps, caller, ListItems.parse({ kind: "query", sort: "updated", ...page })),
  "charts by name": () =>
    listItems(
      deps,
      caller,
      ListItems.parse({ kind: "reference", sort: "name", order: "ascending", ...page }),
    ),
};
const searches = {
  "a rare word": () => search(deps, caller, { text: "rare7", limit: 20 }),
  "a word in every tenth": () => search(deps, caller, { text: "tenth3", limit: 20 }),
};
const listRatio = await lowestRatio(lists);
const searchRatio = await lowestRatio(searches);
printFigures("rights", { list_ratio: listRatio.toFixed(2), search_ratio: searchRatio.toFixed(2) });

type Reads = Record<string, () => Promise<{ items: readonly unknown[] }>>;

/** How much of its speed the slowest of these keeps. */
async function lowestRatio(reads: Reads): Promise<number> {
  const ratios: number[] = [];
  for (const [name, read] of Object.entries(reads)) {
    const [without, narrowed] = [await measure(read, undefined), await measure(read, rights)];
    for (let round = 0; round < rounds; round++) {
      without.push(...(await measure(read, undefined, 1)));
      narrowed.push(...(await measure(read, rights, 1)));
    }
    const [withoutMs, narrowedMs] = [median(without.slice(20)), median(narrowed.slice(20))];
    console.log(`${name}: ${withoutMs.toFixed(2)} ms without rights, ${narrowedMs.toFixed(2)} ms with them`);
    ratios.push(withoutMs / narrowedMs);
  }
  return Math.min(...ratios);
}

async function measure(read: Reads[string], as: Rights | undefined, times = 20): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < times; time++) {
    const start = performance.now();
    const { items } = await withRights(as, read);
    taken.push(performance.now() - start);
    if (items.length === 0) throw new Error("An empty list.");
  }
  return taken;
}

async function fill({ db, clock }: Deps): Promise<Caller> {
  const [organizationId, userId, databaseId] = [newId(clock), newId(clock), newId(clock)];
  const at = { createdAt: clock.now() };
  const name = "Bench";
  await db.prisma.user.create({
    data: { id: userId, name, email: "bench@example.test", ...at, updatedAt: at.createdAt },
  });
  await db.prisma.organization.create({
    data: { id: organizationId, name, slug: "bench", restCompatibility: "live", ...at },
  });
  await db.prisma.member.create({ data: { organizationId, userId, role: "member", ...at } });
  const run = (text: string, ...values: unknown[]) => db.pool.query(text, [organizationId, ...values]);
  await run(
    `INSERT INTO analytical_database_configs (id, organization_id, name, engine, settings, limits, created_at, updated_at)
     VALUES ($2, $1, 'None', 'duckdb', '{}', '{}', now(), now())`,
    databaseId,
  );
  await run(
    `INSERT INTO folders (id, organization_id, name, has_own_rights, created_by, created_at, updated_at)
     SELECT uuidv7(), $1, 'Folder ' || n, true, $2, now(), now() FROM generate_series(1, 1000) n`,
    userId,
  );
  await run(
    `INSERT INTO groups (id, organization_id, name, created_at, updated_at)
     SELECT uuidv7(), $1, 'Group ' || n, now(), now() FROM generate_series(1, 100) n`,
  );
  await run(
    `INSERT INTO group_members (group_id, organization_id, user_id)
     SELECT id, $1, $2 FROM groups WHERE substring(name FROM 7)::int % 5 = 0`,
    userId,
  );
  // Each folder is for several groups, half of the folders for one of the member's.
  await run(
    `INSERT INTO access_grants (id, organization_id, folder_id, group_id, level)
     SELECT uuidv7(), $1, f.id, g.id, 'see' FROM folders f JOIN groups g ON
       substring(g.name FROM 7)::int IN (substring(f.name FROM 8)::int % 20 * 5 + 1, substring(f.name FROM 8)::int % 19 * 5 + 2,
         CASE WHEN substring(f.name FROM 8)::int % 2 = 0 THEN substring(f.name FROM 8)::int % 20 * 5 + 5 END)`,
  );
  await run(
    `INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, name, folder_id, created_by, created_at,
       updated_at)
     SELECT uuidv7(), $1, $2, 'SELECT ' || n || ' AS rare' || n || ', tenth' || n % 10, 'Query ' || n,
       f.ids[1 + n % 1000], $3, now() - n * interval '1 s', now() - n * interval '1 s'
     FROM generate_series(1, $4::int) n, (SELECT array_agg(id) AS ids FROM folders WHERE organization_id = $1) f`,
    databaseId,
    userId,
    queries,
  );
  await run(
    `INSERT INTO query_references (id, organization_id, short_id, query_id, title, folder_id, created_by, created_at,
       updated_at)
     SELECT uuidv7(), $1, translate(lpad(to_hex(row_number() OVER ()), 10, 'z'), '01', 'xy'), id, 'Chart of ' || name,
       folder_id, $2, created_at, updated_at
     FROM queries WHERE organization_id = $1`,
    userId,
  );
  await db.pool.query("VACUUM ANALYZE");
  return { organizationId, userId, role: "member", via: { kind: "session", sessionId: "" } };
}
