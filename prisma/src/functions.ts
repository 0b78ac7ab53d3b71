import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";

const functionsFolder = fileURLToPath(new URL("../functions/", import.meta.url));

/** One file of `prisma/functions`: a function, and the triggers that call it. */
export interface FunctionSource {
  name: string;
  text: string;
}

export async function readFunctionSources(): Promise<FunctionSource[]> {
  const files = (await readdir(functionsFolder)).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.sql$/, ""),
      text: (await readFile(`${functionsFolder}${file}`, "utf8")).trim(),
    })),
  );
}

/**
 * The SQL that makes the functions and triggers of a database those of their sources; empty when they are. The sources are
 * executed in a transaction that is rolled back.
 */
export async function functionsScript(
  client: pg.ClientBase,
  sources: readonly FunctionSource[],
): Promise<string> {
  const script: string[] = [];
  await client.query("BEGIN");
  const before = await readObjects(client);
  let known = before;
  for (const { name, text } of sources) {
    const executed = await execute(client, name, text);
    const found = await readObjects(client);
    const isChanged = [...found].some(([key, { definition }]) => known.get(key)?.definition !== definition);
    if (isChanged) script.push(executed);
    known = found;
  }
  for (const [key, { place, drop }] of known) if (before.get(key)?.place === place) script.push(drop);
  await client.query("ROLLBACK");
  return script.join("\n\n");
}

/** Returns what was executed: a function of another type has to be dropped before. */
async function execute(client: pg.ClientBase, name: string, text: string): Promise<string> {
  await client.query("SAVEPOINT source");
  try {
    await client.query(text);
    return text;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== otherReturnType) throw error;
    await client.query("ROLLBACK TO SAVEPOINT source");
    const replacement = `DROP FUNCTION ${name};\n\n${text}`;
    await client.query(replacement);
    return replacement;
  }
}

// What Postgres says of CREATE OR REPLACE with another type, or with other names of parameters.
const otherReturnType = "42P13";

interface DatabaseObject {
  definition: string;
  /** Where its row is in the catalog: another place after it was replaced, even by the same text. */
  place: string;
  drop: string;
}

/** The functions and triggers. Triggers come first, so that they are dropped before their functions. */
async function readObjects(client: pg.ClientBase): Promise<Map<string, DatabaseObject>> {
  const { rows } = await client.query<DatabaseObject & { key: string }>(`
    SELECT format('trigger %I ON %s', tgname, tgrelid::regclass) AS key, pg_get_triggerdef(oid) AS definition,
      format('%s %s', ctid, xmin) AS place, format('DROP TRIGGER %I ON %s;', tgname, tgrelid::regclass) AS drop
    FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0
      AND (SELECT relnamespace FROM pg_class WHERE pg_class.oid = tgrelid) = 'public'::regnamespace
    UNION ALL
    SELECT format('function %s', oid::regprocedure), pg_get_functiondef(oid),
      format('%s %s', ctid, xmin), format('DROP FUNCTION %s;', oid::regprocedure)
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    ORDER BY key DESC`);
  return new Map(rows.map(({ key, ...object }) => [key, object]));
}
