import { once } from "node:events";
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import pg from "pg";

/** A real server with an empty database, and a pool on it. */
export async function startPostgres() {
  const server = await startThrowawayPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  const ends: Promise<unknown>[] = [];
  pool.on("connect", (client) => ends.push(once(client, "end")));
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end();
      // The pool does not wait for its connections to close, and the server would cut them off.
      await Promise.all(ends);
      await server.stop();
    },
  };
}
