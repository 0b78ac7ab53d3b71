import { importUpload } from "@querybell/core/uploads";
import { startApi } from "../api-test.ts";
import { makeWaitingUpload } from "../waiting-upload.ts";
import { createProvoke, type ProvocationContext } from "./provoke.ts";

/** What is refused because of a file. Returns what was seen on a server with a small quota. */
export async function provokeUploads(
  { deps, owner, provoke }: ProvocationContext,
  session: Record<string, string>,
): Promise<Set<string>> {
  const broken = await makeWaitingUpload(deps, owner, "id,name\n1,a,b\n");
  await provoke("uploads.preview", "upload_unreadable", { id: broken.id });
  await provoke("uploads.import", "upload_unreadable", { id: broken.id, table: "sales" });
  const [first, second] = [await makeWaitingUpload(deps, owner), await makeWaitingUpload(deps, owner)];
  await importUpload(deps, owner, {
    id: first.id,
    table: "sales",
    mode: "create",
    key: [],
    reading: {},
    types: {},
  });
  await provoke("uploads.import", "conflict", { id: second.id, table: "sales" });
  await provoke("uploads.drop", "not_found", { table: "nothing" });

  const uploads = { maxFileBytes: 1000, quotaBytes: 1000 };
  await using small = await startApi({ deps: { ...deps, deployment: { ...deps.deployment, uploads } } });
  const elsewhere = createProvoke(small, session);
  await elsewhere.provoke("uploads.import", "quota_exceeded", { id: second.id, table: "other" });
  return elsewhere.seen;
}
