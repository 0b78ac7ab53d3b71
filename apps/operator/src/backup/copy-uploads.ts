import { join } from "node:path";
import { copyFile } from "./archive-files.ts";
import type { ArchiveFile } from "./manifest.ts";

interface CopyUploads {
  dataFolder: string;
  archive: string;
  /** The paths in the data folder, which are those in the archive too. */
  paths: readonly string[];
  /** Files that an earlier call has copied. No file ever changes, so they are not copied again. */
  copied: Map<string, ArchiveFile>;
}

/** Copies uploaded files into the archive. Returns the first one that is missing, if any is. */
export async function copyUploads({
  dataFolder,
  archive,
  paths,
  copied,
}: CopyUploads): Promise<string | undefined> {
  for (const path of paths) {
    if (copied.has(path)) continue;
    try {
      copied.set(path, { path, ...(await copyFile(join(dataFolder, path), join(archive, path))) });
    } catch (error) {
      // The folder that is written to was made here: only the file that is read can be missing.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      return path;
    }
  }
  return undefined;
}
