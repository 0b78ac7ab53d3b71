import { basename, dirname } from "node:path";

/** A symbolic link to a folder of the file system outside, and the folder that it is in. */
interface CompileCacheLink {
  folder: string;
  path: string;
  target: string;
}

/**
 * Where a host with a root of its own finds the compile cache. Node puts the user id at the end of the folder's name,
 * and the host has another one than the process that filled the cache.
 */
export function linkToCompileCache(
  compileCache: string | undefined,
  userId: number,
): CompileCacheLink | undefined {
  if (compileCache === undefined) return undefined;
  const name = basename(compileCache);
  const path = `/compile-cache/${name.slice(0, name.lastIndexOf("-") + 1)}${userId}`;
  return { folder: dirname(path), path, target: compileCache };
}
