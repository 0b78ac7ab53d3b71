import { Buffer } from "node:buffer";
import type { TarEntry } from "./tar.ts";

export function toEntry(path: string, content: string | Uint8Array, modifiedAt: Date): TarEntry {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return { path, size: bytes.length, modifiedAt, content: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const toJsonEntry = (path: string, value: unknown, modifiedAt: Date): TarEntry =>
  toEntry(path, `${JSON.stringify(value, null, 2)}\n`, modifiedAt);

const maxNameLength = 30;

/** A name that every file system takes, with the id, so that no two are equal. */
export function toFileName(title: string, id: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const name = words.replace(/^-/, "").slice(0, maxNameLength).replace(/-$/, "");
  return name === "" ? id : `${name}-${id}`;
}
