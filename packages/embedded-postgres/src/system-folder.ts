import { chmod, mkdir } from "node:fs/promises";

/**
 * What root keeps for a server that runs as another user, who may be unable to enter the clone (one under
 * /root, or in a private temporary folder). Everybody may enter this folder and only root writes to it.
 */
export async function systemFolder(): Promise<string> {
  const folder = "/var/lib/querybell";
  await mkdir(folder, { recursive: true });
  // mkdir's mode is cut by the umask; chmod's is not.
  await chmod(folder, 0o755);
  return folder;
}
