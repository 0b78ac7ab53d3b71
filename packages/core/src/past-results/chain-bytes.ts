import { promisify } from "node:util";
import { constants, gunzip, gzip, type ZstdOptions, zstdCompress, zstdDecompress } from "node:zlib";

// All of these compute in threads of Node, not on the event loop.
const [compressZstd, decompressZstd] = [promisify(zstdCompress), promisify(zstdDecompress)];
const [compressGzip, decompressGzip] = [promisify(gzip), promisify(gunzip)];

/** The JSON of a larger result is not kept. complete_query_run.sql has the same number. */
export const maxKeptJsonBytes = 64 * 1024 ** 2;

// Level 3 is a tenth larger, level 9 takes twice the time for a tenth less.
const level = 6;
// The window reaches over the dictionary and the JSON itself: 128 MiB for the largest.
const [minWindowLog, maxWindowLog] = [17, 27];
const maxChunkBytes = 1024 ** 2;

/**
 * Compresses the JSON of a result, as a difference from the JSON of the result before it, if there is one. The format is
 * that of zstd with the JSON before as its dictionary: `zstd --patch-from` reads and writes it.
 */
export function compressJson(json: Buffer, before?: Buffer): Promise<Buffer> {
  const reach = Math.ceil(Math.log2(json.length + (before?.length ?? 0) + 1));
  const params = {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_windowLog]: Math.min(maxWindowLog, Math.max(minWindowLog, reach)),
    // A wrong dictionary is an error then, and never a wrong result.
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  return compressZstd(json, withDictionary({ params }, before));
}

/** One stored result of a chain. */
export interface ChainPiece {
  bytes: Buffer;
  jsonBytes: number;
}

/** Restores the JSON of each result of a chain, from its beginning. Only two are in memory at a time. */
export async function* restoreJson(pieces: Iterable<ChainPiece>): AsyncGenerator<Buffer> {
  let before: Buffer | undefined;
  for (const { bytes, jsonBytes } of pieces) {
    const params = { [constants.ZSTD_d_windowLogMax]: maxWindowLog };
    const options = { params, maxOutputLength: Math.max(1, jsonBytes), chunkSize: toChunkSize(jsonBytes) };
    before = await decompressZstd(bytes, withDictionary(options, before));
    yield before;
  }
}

/** The JSON of a result as its run stored it. An engine host wrote it, so it may be anything: throws then. */
export async function unzipStored(gzipped: Buffer, jsonBytes: number): Promise<Buffer> {
  const maxOutputLength = Math.max(1, jsonBytes);
  const json = await decompressGzip(gzipped, { maxOutputLength, chunkSize: toChunkSize(jsonBytes) });
  if (json.length !== jsonBytes)
    throw new Error(`A stored result has not the ${jsonBytes} bytes of its run.`);
  return json;
}

/** For clients, who are sent results in this form. */
export const zipAgain = (json: Buffer): Promise<Buffer> =>
  compressGzip(json, { level: constants.Z_BEST_SPEED, chunkSize: maxChunkBytes });

const toChunkSize = (bytes: number): number => Math.min(maxChunkBytes, Math.max(1024, bytes + 64));

const withDictionary = (options: ZstdOptions, dictionary: Buffer | undefined): ZstdOptions =>
  dictionary && dictionary.length > 0 ? { ...options, dictionary } : options;
