import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Deps } from "@querybell/core";
import { getUploadsDatabase } from "@querybell/core/uploads";
import type { Caller } from "@querybell/domain";
import { apiTest } from "./api-test.ts";

/** A test of uploads, with functions that read the stored files and the tables. */
export const uploadTest = apiTest.extend("uploads", { scope: "file" }, ({ deps, duckdbFolder, makeKey }) => ({
  /** Headers of an API key that may upload, and nothing else. */
  async keyOf(owner: Caller): Promise<Record<string, string>> {
    const { key } = await makeKey(owner, { scopes: ["uploads:write"] });
    return { authorization: `Bearer ${key}` };
  },
  /** The files in an organization's folder, by their paths there. */
  files({ organizationId }: Caller): string[] {
    const folder = join(duckdbFolder, "uploads", organizationId);
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  },
  /** Runs a statement on the organization's tables, as a worker does. */
  async rows({ organizationId }: Caller, text: string): Promise<unknown[][]> {
    const { uploadFileId } = await getUploadsDatabase(deps.db.prisma, organizationId);
    const file = uploadFileId && `uploads/${organizationId}/${uploadFileId}/uploads.duckdb`;
    const outcome = await deps.engines.run({
      organizationId,
      database: { engine: "duckdb", configuration: { file } },
      statement: { text, values: [] },
    });
    if (outcome.kind === "failed") throw new Error(outcome.failure.message);
    return JSON.parse(gunzipSync(Buffer.concat(outcome.gzippedPieces)).toString()).rows;
  },
}));

export const withLimits = (deps: Deps, uploads: Deps["deployment"]["uploads"]): Deps => ({
  ...deps,
  deployment: { ...deps.deployment, uploads },
});
