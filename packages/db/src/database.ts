import { once } from "node:events";
import { activeTraceparent } from "@querybell/tracing";
import type pg from "pg";
import { type Prisma, PrismaClient } from "./generated/client.ts";
import { createNotices, keepAlive, type NoticeChannel, type Notices } from "./notices.ts";
import { PrismaAdapter } from "./prisma-adapter.ts";
import { RightsPool } from "./rights-pool.ts";
import { setTraceContext } from "./run-statement.ts";
import { createStatementNames } from "./statement-names.ts";
import { toAppError } from "./to-app-error.ts";

/** The transaction of a use case. Functions that write take it as a parameter. */
export type Tx = Prisma.TransactionClient;

/** For prepared statements on hot paths, outside of Prisma. */
export type Pool = pg.Pool;

export interface Database {
  /** For reads outside a transaction. */
  readonly prisma: PrismaClient;
  readonly pool: RightsPool;
  /** Notifications about changed rows, from all processes. */
  readonly notices: Notices;
  /** Runs the work in a transaction. Violated constraints and triggers of the database become an `AppError`. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Loads Prisma's query compiler, which would otherwise happen at the first query and block the event loop for a third
   * of a second.
   */
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

interface TransactionOptions {
  /** A transaction that takes longer is rolled back. 20 seconds unless given. */
  timeoutMs?: number;
}

interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** How long to wait for a connection. */
  connectTimeoutMs?: number | undefined;
  /** Called when an idle connection breaks. The pool replaces it. */
  onConnectionError: (error: Error) => void;
}

/** Longer than pg's ten seconds: each new connection compiles the database's functions again, so its first calls are slow. */
const idleMs = 120_000;

interface Notice {
  channel: NoticeChannel;
  ids: readonly string[];
}

const noticesByTransaction = new WeakMap<Tx, Notice[]>();

/** Publishes notices once the transaction has committed, and none if it does not. */
export function publishAfterCommit(tx: Tx, channel: NoticeChannel, ids: readonly string[]): void {
  const notices = noticesByTransaction.get(tx);
  if (!notices) throw new Error("Only the transaction of Database.transaction can publish notices.");
  notices.push({ channel, ids });
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, connectTimeoutMs = 10_000, onConnectionError } = options;
  const pool = new RightsPool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    ...keepAlive,
  });
  const pools = [pool, pool.narrowed];
  for (const one of pools) {
    one.on("error", onConnectionError);
    one.on("connect", (client) => client.on("error", onConnectionError));
  }
  const endPools = pools.map(createPoolEnd);
  const nameOf = createStatementNames("prisma", 500);
  const prisma = new PrismaClient({
    adapter: new PrismaAdapter(pool, {
      onConnectionError,
      statementNameGenerator: ({ sql }) => nameOf(sql),
    }),
  });
  const notices = createNotices({ url, onConnectionError });

  return {
    prisma,
    pool,
    notices,
    async transaction(work, { timeoutMs = 20_000 } = {}) {
      const toPublish: Notice[] = [];
      const workAndNotices = async (tx: Tx) => {
        noticesByTransaction.set(tx, toPublish);
        const traceparent = activeTraceparent();
        if (traceparent !== undefined) {
          const { text, values } = setTraceContext(traceparent);
          await tx.$queryRawUnsafe(text, ...values);
        }
        return work(tx);
      };
      try {
        const result = await prisma.$transaction(workAndNotices, { maxWait: 10_000, timeout: timeoutMs });
        for (const { channel, ids } of toPublish) notices.publish(channel, ids);
        return result;
      } catch (error) {
        throw toAppError(error) ?? error;
      }
    },
    async warmUp() {
      // Without migrations there is no such table. The compiler is loaded all the same.
      await prisma.organization.findFirst({ select: { id: true } }).catch(() => {});
    },
    async close() {
      await notices.close();
      await prisma.$disconnect();
      for (const endPool of endPools) await endPool();
    },
  };
}

/** Returns a function that closes the pool. `pool.end()` alone resolves before the connections are closed. */
function createPoolEnd(pool: Pool): () => Promise<void> {
  // Only established connections emit `remove`. Failed attempts to connect do not.
  const open = new Set<pg.PoolClient>();
  pool.on("connect", (client) => open.add(client));
  pool.on("remove", (client) => open.delete(client));
  return async () => {
    await pool.end();
    while (open.size > 0) await once(pool, "remove");
  };
}
