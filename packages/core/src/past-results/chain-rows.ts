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
 * Reads the results of a chain with their bytes, up to a position. From the table and not its view: a caller who may see
 * one result needs those before it, which may be from before a change of rights.
 */
export async function readChain(runSql: RunSql, chainId: string, upTo = maxChainResults): Promise<PastRow[]> {
  const rows = await runSql<StoredPastRow>(Prisma.sql`
    SELECT ${columns} FROM public.past_results
    WHERE chain_id = ${chainId}::uuid AND position <= ${upTo} ORDER BY position`);
  if (rows.some(({ position }, index) => position !== index)) throw notKept();
  return readAll(runSql, rows);
}

/** Reads results with their bytes that are in no chain yet. */
export async function readUnchained(runSql: RunSql, runIds: readonly string[]): Promise<PastRow[]> {
  const rows = await runSql<StoredPastRow>(Prisma.sql`
    SELECT ${columns} FROM public.past_results
    WHERE run_id = ANY(${runIds}::uuid[]) AND chain_id IS NULL ORDER BY completed_at, run_id`);
  return readAll(runSql, rows);
}

interface StoredPastRow {
  runId: string;
  position: number | null;
  completedAt: Date;
  jsonBytes: number;
  byteCount: number;
  /** Null if they are longer than a piece. */
  bytes: Uint8Array | null;
}

const columns = Prisma.sql`run_id AS "runId", position, completed_at AS "completedAt", json_bytes AS "jsonBytes",
  octet_length(bytes) AS "byteCount", CASE WHEN octet_length(bytes) <= ${maxPieceBytes} THEN bytes END AS bytes`;

async function readAll(runSql: RunSql, rows: StoredPastRow[]): Promise<PastRow[]> {
  const read: PastRow[] = [];
  for (const { runId, completedAt, jsonBytes, byteCount, bytes } of rows) {
    const pieces = bytes ? [bytes] : [];
    for (let from = 1; !bytes && from <= byteCount; from += maxPieceBytes) {
      const [row] = await runSql<{ piece: Uint8Array }>(Prisma.sql`
        SELECT substring(bytes FROM ${from} FOR ${maxPieceBytes}) AS piece FROM public.past_results
        WHERE run_id = ${runId}::uuid`);
      if (!row) throw notKept();
      pieces.push(row.piece);
    }
    read.push({ runId, completedAt, jsonBytes, bytes: Buffer.concat(pieces) });
  }
  return read;
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
