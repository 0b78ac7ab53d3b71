import { makeWaitingUpload } from "../waiting-upload.ts";
import type { Scene } from "./scene.ts";

/** A file becomes a table, and the table goes again. */
export async function playUploads({ deps, play, caller }: Scene): Promise<void> {
  const { id } = await makeWaitingUpload(deps, caller);
  await play("uploads.preview", { id });
  await play("uploads.import", { id, table: "sales", mode: "create", types: { price: "DECIMAL(18,2)" } });
  const unwanted = await makeWaitingUpload(deps, caller);
  await play("uploads.overview");
  await play("uploads.discard", { id: unwanted.id });
  await play("uploads.drop", { table: "sales" });
}
