import { Prisma, type Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { ChainPiece } from "./chain-bytes.ts";

/** A chain is left for a new one when it has so many results or days, so that opening and deleting stay cheap. */
export const maxChainResults = 64;
export const maxChainDays = 14;
export const dayMs = 24 * 60 * 60 * 1000;

/** Prisma encodes bytes as text and the driver decodes them: larger pieces would block the event loop. */
const maxPieceBytes = 1024 ** 2;

/** Results of one query and set of values. */
export interface Series {
  organizationId: string;
  queryId: string;
  parameterValuesHash: Uint8Array<ArrayBuffer>;
}

export interface PastRow extends ChainPiece {
  runId: string;
  completedAt: Date;
}

type RunSql = <Row extends object>(sql: Prisma.Sql) => Promise<Row[]>;

/**
 * Reads the results of a chain with their bytes, up to a position. From tables and not their views: a caller who may see
 * one result needs those before it, which may be from before a change of rights.
 */
export async function readChain(runSql: RunSql, chainId: string, upTo = maxChainResults): Promise<PastRow[]> {
  const rows = await runSql<StoredPastRow>(Prisma.sql`
    SELECT ${columns} FROM ${pastResults}
    WHERE past.chain_id = ${chainId}::uuid AND past.position <= ${upTo} ORDER BY past.position`);
  if (rows.some(({ position }, index) => position !== index)) throw notKept();
  const read = await readAll(runSql, rows);
  // One that is missing has been moved or deleted meanwhile, and those after it cannot be restored.
  return read.length === rows.length ? read : [];
}

/** Reads results with their bytes that are in no chain yet, also when their last bytes are read. */
export async function readUnchained(runSql: RunSql, runIds: readonly string[]): Promise<PastRow[]> {
  const rows = await runSql<StoredPastRow>(Prisma.sql`
    SELECT ${columns} FROM ${pastResults}
    WHERE past.run_id = ANY(${runIds}::uuid[]) AND past.chain_id IS NULL ORDER BY past.completed_at, past.run_id`);
  return readAll(runSql, rows);
}

interface StoredPastRow {
  runId: string;
  chainId: string | null;
  position: number | null;
  completedAt: Date;
  jsonBytes: number;
  byteCount: number;
  /** Null if they are longer than a piece. */
  bytes: Uint8Array | null;
}

/** The newest result of a query is not stored twice: until it is compressed or replaced, its bytes are there. */
const pastResults = Prisma.sql`public.past_results past LEFT JOIN public.query_results newest ON newest.run_id = past.run_id`;
const storedBytes = Prisma.sql`coalesce(past.bytes, newest.gzipped_json)`;

const columns = Prisma.sql`past.run_id AS "runId", past.chain_id AS "chainId", past.position,
  past.completed_at AS "completedAt",
  past.json_bytes AS "jsonBytes", octet_length(${storedBytes}) AS "byteCount",
  CASE WHEN octet_length(${storedBytes}) <= ${maxPieceBytes} THEN ${storedBytes} END AS bytes`;

async function readAll(runSql: RunSql, rows: StoredPastRow[]): Promise<PastRow[]> {
  const read: PastRow[] = [];
  for (const row of rows) {
    const { runId, completedAt, jsonBytes } = row;
    const bytes = row.bytes ?? (await readLarge(runSql, row));
    if (bytes) read.push({ runId, completedAt, jsonBytes, bytes: Buffer.from(bytes) });
  }
  return read;
}

/** Undefined if the result is moved or deleted meanwhile: its bytes are others then. */
async function readLarge(
  runSql: RunSql,
  { runId, chainId, byteCount }: StoredPastRow,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  for (let from = 1; from <= byteCount; from += maxPieceBytes) {
    const [row] = await runSql<{ piece: Uint8Array }>(Prisma.sql`
      SELECT substring(${storedBytes} FROM ${from} FOR ${maxPieceBytes}) AS piece FROM ${pastResults}
      WHERE past.run_id = ${runId}::uuid AND past.chain_id IS NOT DISTINCT FROM ${chainId}::uuid`);
    if (!row) return undefined;
    pieces.push(row.piece);
  }
  return Buffer.concat(pieces);
}

export const notKept = (): AppError =>
  new AppError("result_expired", "This past result is not kept any more. Choose another one.");

/** A result at its new place in a chain. */
export interface PlacedResult {
  runId: string;
  chainId: string;
  position: number;
  bytes: Buffer;
}

export async function placeResult(
  tx: Tx,
  { runId, chainId, position, bytes }: PlacedResult,
  figures?: Prisma.InputJsonValue,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE past_results SET chain_id = ${chainId}::uuid, position = ${position},
      bytes = ${Buffer.from(bytes.subarray(0, maxPieceBytes))},
      figures = coalesce(${figures ? JSON.stringify(figures) : null}::jsonb, figures)
    WHERE run_id = ${runId}::uuid`;
  for (let from = maxPieceBytes; from < bytes.length; from += maxPieceBytes) {
    const piece = Buffer.from(bytes.subarray(from, from + maxPieceBytes));
    await tx.$executeRaw`UPDATE past_results SET bytes = bytes || ${piece} WHERE run_id = ${runId}::uuid`;
  }
}

/** The statements of a transaction, and those outside of one. */
export const sqlOf =
  (client: Pick<Deps["db"]["prisma"], "$queryRaw"> | Pick<Tx, "$queryRaw">): RunSql =>
  <Row extends object>(sql: Prisma.Sql) =>
    client.$queryRaw<Row[]>(sql);
