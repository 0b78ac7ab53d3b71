import { Prisma } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { compressJson, restoreJson } from "../past-results/chain-bytes.ts";
import { readChain, sqlOf } from "../past-results/chain-rows.ts";
import type { TarEntry } from "./tar.ts";
import { toEntry, toJsonEntry } from "./text-entries.ts";

const batchSize = 50;

/**
 * The past results of an organization, in a folder for each chain: the first compressed with zstd, each other as its
 * difference from the one before. Those with values of a person, and those from before a change of the database's
 * policies, are left out.
 */
export async function* pastResultEntries(
  { db }: Pick<Deps, "db">,
  { organizationId }: { organizationId: string },
): AsyncGenerator<TarEntry> {
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const chains = await db.prisma.pastResultChain.findMany({
      where: { organizationId, id: { gt: after }, query: { deletedAt: null } },
      orderBy: { id: "asc" },
      take: batchSize,
      select: { id: true, queryId: true, lastAt: true },
    });
    for (const chain of chains) yield* chainEntries({ db }, chain);
    const last = chains.at(-1);
    if (!last || chains.length < batchSize) return;
    after = last.id;
  }
}

interface ExportedChain {
  id: string;
  queryId: string;
  lastAt: Date;
}

async function* chainEntries({ db }: Pick<Deps, "db">, chain: ExportedChain): AsyncGenerator<TarEntry> {
  const known = await db.prisma.pastResult.findMany({
    where: { chainId: chain.id, run: { systemValues: { equals: Prisma.DbNull } } },
    orderBy: { position: "asc" },
    select: {
      runId: true,
      rowCount: true,
      run: { select: { parameterValues: true, rowRightsVersion: true } },
      query: { select: { database: { select: { rowRightsVersion: true } } } },
    },
  });
  const shown = new Map(
    known
      .filter(({ run, query }) => run.rowRightsVersion === query.database.rowRightsVersion)
      .map((one) => [one.runId, one] as const),
  );
  if (shown.size === 0) return;
  const pieces = await readChain(sqlOf(db.prisma), chain.id);
  // Versions only grow, so those that are not shown are the first ones.
  const start = pieces.findIndex(({ runId }) => shown.has(runId));
  let position = 0;
  let whole: Buffer | undefined;
  if (start > 0) {
    for await (const json of restoreJson(pieces.slice(0, start + 1)))
      if (position++ === start) whole = await compressJson(json);
  }
  const results: object[] = [];
  for (const [index, { runId, completedAt, bytes, jsonBytes }] of pieces.entries()) {
    const one = shown.get(runId);
    if (index < start || !one) continue;
    const file = `${String(results.length).padStart(3, "0")}.zst`;
    yield toEntry(`past-results/${chain.id}/${file}`, index === start && whole ? whole : bytes, completedAt);
    const { parameterValues } = one.run;
    results.push({ file, runId, completedAt, rowCount: one.rowCount, jsonBytes, parameterValues });
  }
  const about = { queryId: chain.queryId, results };
  yield toJsonEntry(`past-results/${chain.id}/index.json`, about, chain.lastAt);
}
