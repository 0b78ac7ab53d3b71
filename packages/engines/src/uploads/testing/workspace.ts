import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { changeTables } from "../change-tables.ts";
import { type TableChange, UploadRefused } from "../upload-tasks.ts";

const memoryBytes = 512 * 1024 ** 2;
const maxUnpackedBytes = 64 * 1024 ** 2;

type Import = Extract<TableChange, { kind: "import" }>;
interface AskedImport extends Pick<Import, "mode" | "dateOrder"> {
  file: Omit<Import["file"], "maxUnpackedBytes">;
  reading?: Import["reading"];
}

/** A folder with a database that files are imported into, as an engine host does it. */
export function createWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), "querybell-round-trips-"));
  const database = join(folder, "uploads.duckdb");
  let files = 0;
  return {
    newPath: () => join(folder, `file${++files}`),
    async change({ file, reading = {}, ...options }: AskedImport) {
      try {
        const change: TableChange = {
          kind: "import",
          table: "t",
          types: {},
          key: [],
          reading,
          ...options,
          file: { ...file, maxUnpackedBytes },
        };
        return (await changeTables({ database, change, memoryBytes })).table;
      } catch (error) {
        if (error instanceof UploadRefused && error.reason === "unreadable") return error;
        throw error;
      }
    },
    read: (sql: string) =>
      withDatabase(database, async (connection) => (await connection.runAndReadAll(sql)).getRowsJson()),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function withDatabase<T>(
  path: string,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
