import type { Deps } from "@querybell/core";

export type Client = Awaited<ReturnType<typeof openClient>>;

/** A connection of one's own; whatever was begun on it and not ended is undone when it is given back. */
export async function openClient({ db }: Pick<Deps, "db">) {
  const client = await db.pool.connect();
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await client.query("ROLLBACK");
      client.release();
    },
  });
}
