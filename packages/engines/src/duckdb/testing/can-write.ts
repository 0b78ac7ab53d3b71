import { spawnSync } from "node:child_process";
import { join } from "node:path";

const script = `
  import { DuckDBInstance } from "@duckdb/node-api";
  const instance = await DuckDBInstance.create(process.argv[1]);
  instance.closeSync();`;

/** Whether another process can open the file for writing. */
export function canWrite(folder: string, file: string): boolean {
  const args = ["--input-type=module", "--eval", script, join(folder, file)];
  return spawnSync(process.execPath, args, { cwd: import.meta.dirname }).status === 0;
}
