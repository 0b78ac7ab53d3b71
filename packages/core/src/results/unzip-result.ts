import { pipeline, Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import type { StoredBytes } from "./read-result.ts";

/** Not in object mode, which would buffer 16 chunks of any size. */
export const toStream = ({ pieces }: Pick<StoredBytes, "pieces">): Readable =>
  Readable.from(pieces, { objectMode: false });

/** Fails if its source fails, so that a truncated response does not look complete. */
export const unzipResult = (stored: Pick<StoredBytes, "pieces">, { bytes }: { bytes: number }): Readable =>
  pipeline(toStream(stored), createGunzip(), endAfter(bytes), () => {});

/** An engine host wrote the result: a few megabytes of hostile ones can become many gigabytes. */
function endAfter(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      done(
        left < 0 ? new Error(`A stored result has more than the ${bytes} bytes of its run.`) : null,
        chunk,
      );
    },
  });
}
