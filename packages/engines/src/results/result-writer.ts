import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { createGzip, type Gzip } from "node:zlib";
import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { EngineError } from "../engine.ts";

interface ResultLimits {
  rows: number;
  /** Of the JSON before compression. */
  bytes: number;
}

interface ResultSummary {
  rowCount: number;
  jsonBytes: number;
  /** The limit that truncated the result, if one did. */
  cutBy: "rows" | "bytes" | null;
  /** The SHA-256 of the compressed bytes, as base64url. */
  etag: string;
}

// A higher level takes twice the time for a few percent.
const compressionLevel = 4;
const endBytes = Buffer.byteLength(`],"rowCount":${Number.MAX_SAFE_INTEGER}}`);

/**
 * Writes the published result, `{"fields":[…],"rows":[…],"rowCount":n}`, compressed with gzip, row by row. The
 * bytes are stored and served unchanged.
 */
export class ResultWriter {
  readonly #limits: ResultLimits;
  readonly #gzip: Gzip = createGzip({ level: compressionLevel });
  // Computed here, as the bytes are written: of a large result it would block the event loop of the parent.
  readonly #hash: Hash = createHash("sha256");
  readonly #sent: Promise<void>;
  #rowCount = 0;
  #jsonBytes = 0;
  #cutBy: ResultSummary["cutBy"] = null;

  /** `send` is awaited, so that a slow receiver slows down the query and nothing is buffered. */
  constructor(limits: ResultLimits, send: (bytes: Uint8Array) => Promise<void>) {
    this.#limits = limits;
    this.#sent = this.#sendAll(send);
    // `end` reports the error.
    this.#sent.catch(() => {});
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  begin(fields: Field[]): Promise<void> {
    return this.#write(`{"fields":${JSON.stringify(fields)},"rows":[`);
  }

  /** Adds rows until a limit is reached. Returns false once it is. */
  async add(rows: JsonValue[][]): Promise<boolean> {
    let text = "";
    let bytes = this.#jsonBytes + endBytes;
    for (const row of rows) {
      if (this.#rowCount === this.#limits.rows) {
        this.#cutBy = "rows";
        break;
      }
      const rowText = (this.#rowCount === 0 ? "" : ",") + JSON.stringify(row);
      bytes += Buffer.byteLength(rowText);
      if (bytes > this.#limits.bytes) {
        this.#refuseOversizedRow();
        this.#cutBy = "bytes";
        break;
      }
      text += rowText;
      this.#rowCount++;
    }
    await this.#write(text);
    return this.#cutBy === null;
  }

  async end(): Promise<ResultSummary> {
    await this.#write(`],"rowCount":${this.#rowCount}}`);
    this.#gzip.end();
    await this.#sent;
    return {
      rowCount: this.#rowCount,
      jsonBytes: this.#jsonBytes,
      cutBy: this.#cutBy,
      etag: this.#hash.digest("base64url"),
    };
  }

  /** Resolves when nothing more will be sent. */
  async abort(): Promise<void> {
    this.#gzip.destroy();
    await this.#sent.catch(() => {});
  }

  async #sendAll(send: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    for await (const chunk of this.#gzip) {
      this.#hash.update(chunk);
      await send(chunk);
    }
  }

  async #write(text: string): Promise<void> {
    this.#jsonBytes += Buffer.byteLength(text);
    if (text !== "" && !this.#gzip.write(text)) await Promise.race([once(this.#gzip, "drain"), this.#sent]);
  }

  /** A result is truncated between rows. If not even the first row fits, the run fails. */
  #refuseOversizedRow(): void {
    if (this.#rowCount > 0) return;
    throw new EngineError(
      "result_too_large",
      `The first row alone is larger than the limit of ${this.#limits.bytes} bytes. Select fewer or smaller columns.`,
    );
  }
}
