import { chmod, mkdir } from "node:fs/promises";

/**
 * Files for a server that root starts as another user, which may be unable to enter the clone (under /root, or in a
 * private temporary folder). All users may enter this folder; only root writes to it.
 */
export async function systemFolder(): Promise<string> {
  const folder = "/var/lib/querybell";
  await mkdir(folder, { recursive: true });
  // The umask applies to the mode of mkdir, but not to that of chmod.
  await chmod(folder, 0o755);
  return folder;
}
