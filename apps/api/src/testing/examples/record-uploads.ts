import { makeWaitingUpload } from "../waiting-upload.ts";
import type { ExampleContext } from "./example-context.ts";

/** Imports a file into a table, and drops the table. */
export async function recordUploads({ deps, record, caller }: ExampleContext): Promise<void> {
  const { id } = await makeWaitingUpload(deps, caller, "id,sold,price\n1,01/02/2024,1.5\n2,03/02/2024,\n");
  await record("uploads.preview", { id });
  await record("uploads.import", {
    id,
    table: "sales",
    mode: "create",
    types: { price: "DECIMAL(18,2)" },
    dateOrder: "dmy",
  });
  const unwanted = await makeWaitingUpload(deps, caller);
  await record("uploads.overview");
  await record("uploads.discard", { id: unwanted.id });
  await record("uploads.drop", { table: "sales" });
}
