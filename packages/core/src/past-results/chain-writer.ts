import type { Prisma, Tx } from "@querybell/db";
import { newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { compressJson, restoreJson } from "./chain-bytes.ts";
import {
  dayMs,
  maxChainDays,
  maxChainResults,
  placeResult,
  readChain,
  type Series,
  sqlOf,
} from "./chain-rows.ts";

/** A difference that is not much smaller than the whole begins a new chain. */
const maxDifference = 0.5;
/** The differences of a chain are at most so many times its first result. */
const maxGrowth = 3;

type Chain = Pick<
  Prisma.PastResultChainModel,
  "id" | "firstAt" | "lastAt" | "resultCount" | "byteCount" | "isThinned"
> & {
  firstBytes: number;
};

interface AddedResult {
  runId: string;
  completedAt: Date;
  json: Buffer;
  figures?: Prisma.InputJsonValue | undefined;
}

/** Adds results of one series, in the order of their times, to a chain that is locked, and to new ones. */
export class ChainWriter {
  readonly #tx: Tx;
  readonly #clock: Deps["clock"];
  readonly #series: Series;
  readonly #isThinned: boolean;
  #historyMs = 0;
  #chain: Chain | undefined;
  #last: Buffer | undefined;

  private constructor({ tx, clock }: { tx: Tx } & Pick<Deps, "clock">, series: Series, isThinned: boolean) {
    this.#tx = tx;
    this.#clock = clock;
    this.#series = series;
    this.#isThinned = isThinned;
  }

  /** Continues the last chain of the series, thinned or not, if it has room. */
  static async open(
    deps: { tx: Tx } & Pick<Deps, "clock">,
    { series, isThinned, before }: { series: Series; isThinned: boolean; before?: Date },
  ): Promise<ChainWriter> {
    const writer = new ChainWriter(deps, series, isThinned);
    const { historyDays } = await deps.tx.organization.findUniqueOrThrow({
      where: { id: series.organizationId },
      select: { historyDays: true },
    });
    writer.#historyMs = historyDays * dayMs;
    const [row] = await deps.tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM past_result_chains
      WHERE query_id = ${series.queryId}::uuid AND parameter_values_hash = ${series.parameterValuesHash}
        AND is_thinned = ${isThinned} AND last_at < coalesce(${before ?? null}::timestamptz, 'infinity')
      ORDER BY last_at DESC, id LIMIT 1 FOR UPDATE`;
    if (row) await writer.#continue(row.id);
    return writer;
  }

  async #continue(id: string): Promise<void> {
    const chain = await this.#tx.pastResultChain.findUniqueOrThrow({ where: { id } });
    if (chain.resultCount >= maxChainResults) return;
    try {
      const pieces = await readChain(sqlOf(this.#tx), id);
      if (pieces.length !== chain.resultCount) return;
      let last: Buffer | undefined;
      for await (const json of restoreJson(pieces)) last = json;
      this.#last = last;
      this.#chain = { ...chain, firstBytes: pieces[0]?.bytes.length ?? 0 };
    } catch {
      // One that cannot be read must not stop what follows: a new one begins.
    }
  }

  async add({ runId, completedAt, json, figures }: AddedResult): Promise<void> {
    const difference = this.#hasRoom(completedAt) ? await compressJson(json, this.#last) : undefined;
    const chain = this.#chain;
    if (chain && difference && difference.length <= Math.max(256, maxDifference * chain.firstBytes)) {
      await this.#place(chain, { runId, bytes: difference, completedAt, figures });
    } else {
      await this.#begin({ runId, bytes: await compressJson(json), completedAt, figures });
    }
    this.#last = json;
  }

  #hasRoom(at: Date): boolean {
    if (!this.#chain) return false;
    const { resultCount, firstAt, byteCount, firstBytes } = this.#chain;
    return (
      resultCount < maxChainResults &&
      at.getTime() - firstAt.getTime() <= maxChainDays * dayMs &&
      Number(byteCount) <= Math.max(4096, (1 + maxGrowth) * firstBytes)
    );
  }

  async #begin({ runId, bytes, completedAt, figures }: Compressed): Promise<void> {
    const id = newId(this.#clock);
    const counts = {
      firstAt: completedAt,
      lastAt: completedAt,
      resultCount: 1,
      byteCount: BigInt(bytes.length),
    };
    await this.#tx.pastResultChain.create({
      data: {
        ...{ id, ...this.#series, ...counts },
        expiresAt: this.#expiry(completedAt),
        isThinned: this.#isThinned,
      },
    });
    await placeResult(this.#tx, { runId, chainId: id, position: 0, bytes }, figures);
    this.#chain = { id, ...counts, isThinned: this.#isThinned, firstBytes: bytes.length };
  }

  async #place(chain: Chain, { runId, bytes, completedAt, figures }: Compressed): Promise<void> {
    await placeResult(this.#tx, { runId, chainId: chain.id, position: chain.resultCount, bytes }, figures);
    // Clocks of workers differ a little.
    const lastAt = completedAt > chain.lastAt ? completedAt : chain.lastAt;
    const firstAt = completedAt < chain.firstAt ? completedAt : chain.firstAt;
    const counts = {
      ...{ firstAt, lastAt, resultCount: chain.resultCount + 1 },
      byteCount: BigInt(chain.byteCount) + BigInt(bytes.length),
    };
    await this.#tx.pastResultChain.update({
      where: { id: chain.id },
      data: { ...counts, expiresAt: this.#expiry(lastAt) },
    });
    this.#chain = { ...chain, ...counts };
  }

  #expiry(lastAt: Date): Date {
    return new Date(lastAt.getTime() + this.#historyMs);
  }
}

interface Compressed {
  runId: string;
  bytes: Buffer;
  completedAt: Date;
  figures: Prisma.InputJsonValue | undefined;
}
