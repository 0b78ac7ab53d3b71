import { once } from "node:events";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { type Prisma, PrismaClient } from "./generated/client.ts";
import { createNotices, type Notices } from "./notices.ts";
import { createStatementNames } from "./statement-names.ts";
import { toAppError } from "./to-app-error.ts";

/** What every function that writes takes: the transaction of the use case that called it. */
export type Tx = Prisma.TransactionClient;

export interface Database {
  /** For reads outside a transaction, and for hot paths as prepared statements. */
  readonly prisma: PrismaClient;
  readonly pool: pg.Pool;
  /** What other processes say about rows that have changed. */
  readonly notices: Notices;
  /** All or nothing. A refusal by the database's own rules comes out as an `AppError`. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Told of connections that broke while idle; the pool replaces them by itself. */
  onConnectionError: (error: Error) => void;
}

export function openDatabase({ url, poolSize, onConnectionError }: DatabaseOptions): Database {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, connectionTimeoutMillis: 10_000 });
  pool.on("error", onConnectionError);
  pool.on("connect", (client) => client.on("error", onConnectionError));
  const endPool = endWhenGone(pool);
  const statementNameGenerator = createStatementNames();
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { onConnectionError, statementNameGenerator }),
  });
  const notices = createNotices({ url, onConnectionError });

  return {
    prisma,
    pool,
    notices,
    async transaction(work) {
      try {
        return await prisma.$transaction(work, { maxWait: 10_000, timeout: 20_000 });
      } catch (error) {
        throw toAppError(error) ?? error;
      }
    },
    async close() {
      await notices.close();
      await prisma.$disconnect();
      await endPool();
    },
  };
}

/** Closes the pool. `pool.end()` alone comes back while the connections are still saying goodbye. */
function endWhenGone(pool: pg.Pool): () => Promise<void> {
  // Only what has connected says goodbye: an attempt to connect that fails is never heard of again.
  const open = new Set<pg.PoolClient>();
  pool.on("connect", (client) => open.add(client));
  pool.on("remove", (client) => open.delete(client));
  return async () => {
    await pool.end();
    while (open.size > 0) await once(pool, "remove");
  };
}
