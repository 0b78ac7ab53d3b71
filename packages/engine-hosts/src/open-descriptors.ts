import { readdirSync, type Stats, statSync } from "node:fs";

/** What the descriptors of a process lead to, given its folder in /proc. None if it has ended. */
export function statDescriptors(processFolder: string): Stats[] {
  const folder = `${processFolder}/fd`;
  const names = unlessGone(() => readdirSync(folder)) ?? [];
  return names.flatMap((name) => unlessGone(() => statSync(`${folder}/${name}`)) ?? []);
}

/** Undefined for a file or process that is gone: a host deletes and closes files while they are read, and can end. */
export function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined;
    throw error;
  }
}
