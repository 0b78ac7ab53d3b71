/** Encodes numbers as LEB128 varints, and strings with a length prefix. */
export class ByteWriter {
  readonly #bytes: number[] = [];

  number(value: bigint | number): this {
    let rest = BigInt(value);
    if (rest < 0n) throw new RangeError("Only non-negative numbers can be written.");
    while (rest > 0x7fn) {
      this.#bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#bytes.push(Number(rest));
    return this;
  }

  text(value: string): this {
    const bytes = Buffer.from(value);
    this.number(bytes.length);
    this.#bytes.push(...bytes);
    return this;
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Reads the output of a `ByteWriter`. The input is authenticated, so a truncated input is a bug. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): bigint {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("The bytes end in the middle of a number.");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const length = Number(this.number());
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError("The bytes end in the middle of a text.");
    return Buffer.from(this.#bytes.subarray(start, this.#at)).toString();
  }
}
