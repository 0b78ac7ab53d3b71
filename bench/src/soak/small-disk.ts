import { execFile } from "node:child_process";
import { mkdtemp, open, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const diskMebibytes = 1_536;
const pieceBytes = 4 * 1024 ** 2;

/** A folder on a separate small file system, so that it can be filled without harm to the machine. */
export interface SmallDisk {
  folder: string;
  /** False where no file system may be mounted: then the disk is never filled. */
  isOwn: boolean;
  fill(): Promise<void>;
  free(): Promise<void>;
  dispose(): Promise<void>;
}

/** Mounts a tmpfs. Without the right to do so (root or CAP_SYS_ADMIN), it is an ordinary folder. */
export async function createSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "querybell-soak-"));
  const options = `size=${diskMebibytes}m,mode=0755`;
  const isOwn = await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  const ballast = join(folder, "ballast");
  return {
    folder,
    isOwn,
    async fill() {
      await using file = await open(ballast, "w");
      for (const piece of [Buffer.alloc(pieceBytes), Buffer.alloc(4096)]) {
        await writeUntilFull(file, piece);
      }
    },
    free: () => rm(ballast, { force: true }),
    async dispose() {
      if (isOwn) await run("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeUntilFull(file: { write(data: Buffer): Promise<unknown> }, piece: Buffer): Promise<void> {
  try {
    for (;;) await file.write(piece);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
