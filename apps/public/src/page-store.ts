import type { ProcessIdentity } from "@querybell/process";
import { type EmbedGrant, PublishedContent, StoredChoices } from "@querybell/public-pages";
import pg from "pg";
import { z } from "zod";

const FoundPage = z.object({
  /** Which of the combinations of published values it shows. */
  number: z.int(),
  /** Another one for each publication. */
  version: z.string(),
  /** The references that must not be shown any more. */
  hidden: z.array(z.string()),
});
export type FoundPage = z.infer<typeof FoundPage>;

const FoundLink = z.object({
  passwordHash: z.string().nullable(),
  choices: StoredChoices,
  /** Those that are made. */
  pages: z.array(FoundPage),
});
export type FoundLink = z.infer<typeof FoundLink>;

export interface FoundFile {
  version: string;
  referenceId: string;
  bytes: Buffer;
}

export interface EmbedSession {
  /** The signed token, which was verified when the session was opened. */
  token: string;
  /** The sites that may show the frame. */
  origins: string[];
}

interface NewSession {
  tokenHash: Uint8Array;
  scopeHash: Uint8Array;
  token: string;
  grant: EmbedGrant;
  /** The key that verified the token. It may have been replaced since it was read. */
  publicKey: string;
}

/** A page for the values of a frame. */
export type EmbedPage =
  | { state: "requested" | "running" | "limited" }
  | { state: "failed"; failure: string | null }
  | { state: "ready"; pageId: string; version: string };

/** The published pages, read with a role that may do nothing else. A link is named by the hash of its token. */
export interface PageStore {
  find(tokenHash: Uint8Array): Promise<FoundLink | undefined>;
  /** The content of the page of a link with this number. */
  readContent(tokenHash: Uint8Array, number: number): Promise<{ content: PublishedContent } | undefined>;
  readFile(
    tokenHash: Uint8Array,
    file: Pick<FoundPage, "number"> & { name: string },
  ): Promise<FoundFile | undefined>;
  /** A picture of a message to Slack or Teams. */
  readMessagePicture(tokenHash: Uint8Array): Promise<Buffer | undefined>;
  /** The public key of an embedding key, as PEM. Undefined if its tokens do not count. */
  findEmbeddingKey(id: string): Promise<string | undefined>;
  openSession(session: NewSession): Promise<"opened" | "limited" | "refused">;
  findSession(tokenHash: Uint8Array): Promise<EmbedSession | undefined>;
  /** The page of a session for these values. A worker makes it unless it is there. */
  requestPage(
    tokenHash: Uint8Array,
    wanted: { valuesHash: Uint8Array; values: object },
  ): Promise<EmbedPage | undefined>;
  readEmbedPage(tokenHash: Uint8Array, pageId: string): Promise<{ content: PublishedContent } | undefined>;
  readEmbedFile(
    tokenHash: Uint8Array,
    file: { pageId: string; name: string },
  ): Promise<Omit<FoundFile, "referenceId"> | undefined>;
  addViews(views: { tokenHash: Uint8Array; count: number }[]): Promise<void>;
  /** Says that this process runs, or that it stops. */
  recordProcess(identity: ProcessIdentity, isStopping: boolean): Promise<void>;
  /** Why the database cannot be used now; undefined if it can. */
  whyNotReady(): Promise<string | undefined>;
  /** Why this role must not be used: it may do more than it needs. */
  findExcessRight(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Thrown instead of waiting in a long queue. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

const maxWaiting = 500;

interface StoreOptions {
  url: string;
  poolSize: number;
  onError: (error: unknown) => void;
}

export function openPageStore({ url, poolSize, onError }: StoreOptions): PageStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 5_000,
    application_name: "querybell public",
  });
  pool.on("error", onError);
  const query = async <Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<Row[]> => {
    if (pool.waitingCount >= maxWaiting) throw new BusyError("Too many requests wait for the database.");
    return (await pool.query<Row>({ name, text, values })).rows;
  };
  return {
    async find(tokenHash) {
      const [row] = await query(
        "find_public_link",
        `SELECT password_hash AS "passwordHash", choices, pages FROM public.find_public_link($1)`,
        [Buffer.from(tokenHash)],
      );
      return row && FoundLink.parse(row);
    },
    async readContent(tokenHash, number) {
      const [row] = await query<{ content: unknown }>(
        "read_published_page",
        "SELECT content FROM public.read_published_page($1, $2)",
        [Buffer.from(tokenHash), number],
      );
      return row && { content: PublishedContent.parse(row.content) };
    },
    async readFile(tokenHash, { number, name }) {
      const [row] = await query<FoundFile>(
        "read_published_file",
        `SELECT version, reference_id AS "referenceId", bytes FROM public.read_published_file($1, $2, $3)`,
        [Buffer.from(tokenHash), number, name],
      );
      return row;
    },
    async readMessagePicture(tokenHash) {
      const [row] = await query<{ png: Buffer }>(
        "read_message_picture",
        "SELECT png FROM public.read_message_picture($1)",
        [Buffer.from(tokenHash)],
      );
      return row?.png;
    },
    async findEmbeddingKey(id) {
      const [row] = await query<{ publicKey: string }>(
        "find_embedding_key",
        `SELECT public_key AS "publicKey" FROM public.find_embedding_key($1)`,
        [id],
      );
      return row?.publicKey;
    },
    async openSession({ tokenHash, scopeHash, token, publicKey, grant: { keyId, expiresAt } }) {
      const [row] = await query<{ outcome: "opened" | "limited" | "refused" }>(
        "open_embed_session",
        "SELECT public.open_embed_session($1, $2, $3, $4, $5, $6) AS outcome",
        [keyId, publicKey, Buffer.from(tokenHash), Buffer.from(scopeHash), token, expiresAt],
      );
      return row?.outcome ?? "refused";
    },
    async findSession(tokenHash) {
      const [row] = await query<EmbedSession>(
        "find_embed_session",
        "SELECT token, origins FROM public.find_embed_session($1)",
        [Buffer.from(tokenHash)],
      );
      return row;
    },
    async requestPage(tokenHash, { valuesHash, values }) {
      const [row] = await query<EmbedPage>(
        "request_embed_page",
        `SELECT page_id AS "pageId", state, version, failure FROM public.request_embed_page($1, $2, $3::jsonb)`,
        [Buffer.from(tokenHash), Buffer.from(valuesHash), JSON.stringify(values)],
      );
      return row;
    },
    async readEmbedPage(tokenHash, pageId) {
      const [row] = await query<{ content: unknown }>(
        "read_embed_page",
        "SELECT content FROM public.read_embed_page($1, $2)",
        [Buffer.from(tokenHash), pageId],
      );
      return row && { content: PublishedContent.parse(row.content) };
    },
    async readEmbedFile(tokenHash, { pageId, name }) {
      const [row] = await query<Omit<FoundFile, "referenceId">>(
        "read_embed_file",
        "SELECT version, bytes FROM public.read_embed_file($1, $2, $3)",
        [Buffer.from(tokenHash), pageId, name],
      );
      return row;
    },
    async addViews(views) {
      await query("count_page_views", "SELECT public.count_page_views($1::bytea[], $2::int[])", [
        views.map(({ tokenHash }) => Buffer.from(tokenHash)),
        views.map(({ count }) => count),
      ]);
    },
    async recordProcess({ id, version, host, startedAt }, isStopping) {
      await query("record_public_process", "SELECT public.record_public_process($1, $2, $3, $4, $5)", [
        ...[id, version, host, startedAt, isStopping],
      ]);
    },
    async whyNotReady() {
      try {
        const [row] = await query<{ mayFind: boolean | null }>("may_find", mayFind, []);
        if (row?.mayFind) return undefined;
        return row?.mayFind === null
          ? "The database lacks migrations. Run the operator's command migrate first."
          : "The role of PUBLIC_DATABASE_URL may not read published pages. Execute what operator public-role prints.";
      } catch (error) {
        return explainFailure(error);
      }
    },
    async findExcessRight() {
      const [row] = await query<{ table: string | null; isSuperuser: boolean }>(
        "find_excess",
        findExcess,
        [],
      );
      if (!row || (row.table === null && !row.isSuperuser)) return undefined;
      const what = row.isSuperuser ? "is a superuser" : `may also read or change ${row.table}`;
      return `The role of PUBLIC_DATABASE_URL ${what}. It serves anybody, so give it a role of its own: operator public-role prints how.`;
    },
    close: () => pool.end(),
  };
}

/** By SQLSTATE, or by the message of the driver. The sentences are for whoever runs this process. */
const explanations: Record<string, string> = {
  "28P01": "The server of PUBLIC_DATABASE_URL refuses the role or its password. Correct them.",
  "28000": "The server of PUBLIC_DATABASE_URL refuses the role or this machine. Correct it, or pg_hba.conf.",
  "3D000": "The server of PUBLIC_DATABASE_URL has no database of that name. Correct the name.",
  "42501":
    "The role of PUBLIC_DATABASE_URL may not connect to the database. Execute what operator public-role prints.",
  "53300":
    "The database has no connection left. Raise max_connections of the server, or the CONNECTION LIMIT of the role.",
  "57P03": "The server of PUBLIC_DATABASE_URL is starting or stopping.",
  "The server does not support SSL connections":
    "PUBLIC_DATABASE_URL asks for TLS, and the server does not offer it. Set ssl = on there, or remove sslmode.",
};

/** Without a code, the driver has waited for too long, or the connection ended. */
const noAnswer = /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

function explainFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const message = error instanceof Error ? error.message : "";
  const explained = explanations[code ?? message];
  if (explained !== undefined) return explained;
  return code === undefined || noAnswer.test(code)
    ? "No database answers at the address in PUBLIC_DATABASE_URL."
    : `The database of PUBLIC_DATABASE_URL cannot be used (${code}).`;
}

/** Null: there is no such function. */
const mayFind = `
  SELECT has_function_privilege(to_regprocedure('public.find_public_link(bytea)'), 'EXECUTE') AS "mayFind"`;

/** A table outside of the catalogs that the role may read or change. Views of extensions, such as statistics, are nobody's data. */
const findExcess = `
  SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser", (
    SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
      AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      AND has_schema_privilege(n.oid, 'USAGE')
      AND has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') LIMIT 1) AS "table"`;
