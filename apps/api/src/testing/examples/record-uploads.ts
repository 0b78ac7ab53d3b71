import { makeWaitingUpload } from "../waiting-upload.ts";
import type { ExampleContext } from "./example-context.ts";

/** A file becomes a table, and the table goes again. */
export async function recordUploads({ deps, record, caller }: ExampleContext): Promise<void> {
  const { id } = await makeWaitingUpload(deps, caller);
  await record("uploads.preview", { id });
  await record("uploads.import", { id, table: "sales", mode: "create", types: { price: "DECIMAL(18,2)" } });
  const unwanted = await makeWaitingUpload(deps, caller);
  await record("uploads.overview");
  await record("uploads.discard", { id: unwanted.id });
  await record("uploads.drop", { table: "sales" });
}
