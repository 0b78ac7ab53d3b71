import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import pg from "pg";
import type { Engine } from "./engines.ts";

const compress = promisify(gzip);
// As the product does.
const compression = { level: 4 };

export interface BareStore {
  /** Runs a statement in the driver, encodes its rows, and stores them in one transaction. */
  runAndStore(engine: Engine, statement: string): Promise<void>;
  close(): Promise<void>;
}

/** The upper bound: no host, no lease, no checks, no limits. What it stores is as in `query_results`. */
export async function openBareStore(url: string): Promise<BareStore> {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  await pool.query(`
    CREATE TABLE bench_results (run_id uuid PRIMARY KEY, gzipped_json bytea NOT NULL, json_bytes int NOT NULL,
      row_count int NOT NULL, etag text NOT NULL, completed_at timestamptz NOT NULL DEFAULT now());
    ALTER TABLE bench_results ALTER COLUMN gzipped_json SET STORAGE EXTERNAL`);
  return {
    async runAndStore(engine, statement) {
      const { fields, rows } = await engine.read(statement);
      const json = JSON.stringify({ fields, rows, rowCount: rows.length });
      const gzipped = await compress(json, compression);
      const etag = createHash("sha256").update(gzipped).digest("base64url");
      await pool.query({
        name: "store",
        text: "INSERT INTO bench_results (run_id, gzipped_json, json_bytes, row_count, etag) VALUES ($1, $2, $3, $4, $5)",
        values: [randomUUID(), gzipped, json.length, rows.length, etag],
      });
    },
    close: () => pool.end(),
  };
}
