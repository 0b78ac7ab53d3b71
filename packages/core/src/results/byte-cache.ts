/** Bytes by key, up to a total size. The entry that was not used for the longest time goes first. */
export class ByteCache {
  readonly #maxBytes: number;
  // A Map keeps insertion order: the first key is the one that was not used for the longest time.
  readonly #entries = new Map<string, Buffer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Buffer | undefined {
    const found = this.#entries.get(key);
    if (!found) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: string, bytes: Buffer): void {
    this.#delete(key);
    this.#entries.set(key, bytes);
    this.#bytes += bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.length ?? 0;
    this.#entries.delete(key);
  }
}
