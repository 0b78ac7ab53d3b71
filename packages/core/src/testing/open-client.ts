import type { Deps } from "../deps.ts";

export type Client = Awaited<ReturnType<typeof openClient>>;

/** A separate database connection. Open transactions are rolled back when it is released. */
export async function openClient({ db }: Pick<Deps, "db">) {
  const client = await db.pool.connect();
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await client.query("ROLLBACK");
      client.release();
    },
  });
}
