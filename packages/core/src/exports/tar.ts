import type { Readable } from "node:stream";

/** A file in the archive. `size` is the number of bytes that `content` yields. */
export interface TarEntry {
  path: string;
  size: number;
  modifiedAt: Date;
  content: AsyncIterable<Uint8Array> | Readable;
}

const blockBytes = 512;
const maxPathBytes = 100;
/** The largest size that 11 octal digits hold. */
const maxOctalSize = 8 ** 11 - 1;

/** Writes an archive in the format ustar, in a stream. */
export async function* toTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const { content, ...entry } of entries) {
    yield toHeader(entry);
    let left = entry.size;
    for await (const chunk of content) {
      left -= chunk.length;
      if (left < 0) break;
      yield chunk;
    }
    if (left !== 0) throw new Error(`${entry.path} has not the ${entry.size} bytes that were announced.`);
    yield Buffer.alloc((blockBytes - (entry.size % blockBytes)) % blockBytes);
  }
  // The end of the archive.
  yield Buffer.alloc(2 * blockBytes);
}

function toHeader({ path, size, modifiedAt }: Omit<TarEntry, "content">): Buffer {
  if (Buffer.byteLength(path) > maxPathBytes) throw new Error(`The path ${path} is too long for an archive.`);
  const header = Buffer.alloc(blockBytes);
  header.write(path, 0);
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  if (size <= maxOctalSize) header.write(octal(size, 11), 124);
  else {
    // As a binary number, which the first bit says.
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(octal(Math.floor(modifiedAt.getTime() / 1000), 11), 136);
  // The checksum counts its own field as spaces.
  header.write("        ", 148);
  // A regular file.
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((before, byte) => before + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
