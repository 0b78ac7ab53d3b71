import { type Caller, type PreviewUpload, suggestTableName, type UploadPreview } from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import { toAppError } from "./refusals.ts";
import { requireUploads } from "./require-uploads.ts";
import { getWaitingUpload } from "./upload-row.ts";

/** The columns of a waiting file with their guessed types, and its first rows. */
export async function previewUpload(
  deps: Deps,
  caller: Caller,
  { id, types, dateOrder, signal }: PreviewUpload & WaitOptions,
): Promise<UploadPreview> {
  await requireUploads(deps, caller);
  const { upload, path } = await getWaitingUpload(deps, caller, id);
  const { organizationId, format, fileName } = upload;
  const outcome = await deps.engines.previewUpload(
    { organizationId, file: { path, format }, types, dateOrder },
    { signal },
  );
  if (outcome.kind === "refused") throw toAppError(outcome.refusal);
  return { ...outcome.preview, suggestedTable: suggestTableName(fileName) };
}
