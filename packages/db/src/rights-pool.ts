import pg from "pg";
import { currentRights, type Rights } from "./rights.ts";

/** The tables with a view in the schema `rights`, as Prisma names them: see create_rights_views.sql. */
const protectedName =
  /"public"\."(analytical_database_configs|automation_results|automation_runs|automation_steps|automations|dashboard_refreshes|dashboard_versions|dashboards|folders|past_results|queries|query_drafts|query_parameters|query_references|query_results|query_runs|query_versions|table_descriptions|uploaded_tables)"/g;

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void;

/**
 * A pool whose connections see what the current rights allow. Without rights to observe, it is an ordinary pool. Otherwise
 * it gives a connection on which the views of the schema `rights` take the place of the tables, so that a statement sees
 * nothing that is forbidden, whatever it asks for.
 */
export class RightsPool extends pg.Pool {
  readonly #narrowed: pg.Pool;
  /** The rights that were set last on each connection. */
  readonly #known = new WeakMap<pg.PoolClient, Rights>();

  constructor(config: pg.PoolConfig) {
    super(config);
    const max = Math.max(2, Math.floor((config.max ?? 10) / 2));
    this.#narrowed = new pg.Pool({ ...config, max, Client: NarrowedClient });
  }

  /** The connections with narrowed rights, to observe. */
  get narrowed(): pg.Pool {
    return this.#narrowed;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const rights = currentRights();
    if (!callback) return rights ? this.#connectWith(rights) : super.connect();
    if (!rights) {
      super.connect(callback);
      return undefined;
    }
    const connected = this.#connectWith(rights);
    connected.then(
      (client) => callback(undefined, client, () => client.release()),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  async #connectWith(rights: Rights): Promise<pg.PoolClient> {
    const client = await this.#narrowed.connect();
    if (this.#known.get(client) === rights) return client;
    try {
      await client.query(setRightsStatement(rights));
    } catch (error) {
      client.release(error instanceof Error ? error : true);
      throw error;
    }
    this.#known.set(client, rights);
    return client;
  }
}

const setRightsStatement = (rights: Rights) => ({
  name: "set_rights",
  text: `
    SELECT set_config('search_path', 'rights, public', false), set_config('querybell.caller', $1, false),
      set_config('querybell.folders', $2, false), set_config('querybell.editable_folders', $3, false),
      set_config('querybell.databases', $4, false), set_config('querybell.writable_databases', $5, false),
      set_config('querybell.values', $6, false), set_config('querybell.folder_bytes', $7, false)`,
  values: [
    rights.userId,
    ...[rights.folders, rights.editableFolders, rights.databases, rights.writableDatabases].map(
      (ids) => `{${ids.join()}}`,
    ),
    JSON.stringify(rights.values),
    Buffer.from(rights.folders.join("").replaceAll("-", ""), "hex").toString("base64"),
  ],
});

/** Prisma names the schema of every table. Values are bound, so what looks like such a name is one. */
class NarrowedClient extends pg.Client {
  // The overloads of `query` are many; all that is changed is the text.
  override query(...[query, ...more]: [query: unknown, ...more: unknown[]]): never {
    const send: (...values: unknown[]) => unknown = super.query.bind(this);
    return send(toNarrowed(query), ...more) as never;
  }
}

function toNarrowed(query: unknown): unknown {
  if (typeof query === "string") return query.replace(protectedName, '"rights"."$1"');
  if (typeof query !== "object" || query === null || !("text" in query) || "submit" in query) return query;
  const { text } = query;
  return typeof text === "string" ? { ...query, text: text.replace(protectedName, '"rights"."$1"') } : query;
}
