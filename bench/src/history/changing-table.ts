const regions = ["north", "south", "east", "west"];

interface Shape {
  rows: number;
  /** How many rows differ from one result to the next. */
  changed: number;
}

/** Results of a table whose rows change, always the same ones. */
export class ChangingTable {
  readonly #shape: Shape;
  readonly #rows: string[] = [];
  #seed = 1;

  constructor(shape: Shape) {
    this.#shape = shape;
    for (let row = 0; row < shape.rows; row++) this.#rows.push(this.#makeRow(row));
  }

  /** The JSON after so many different rows have changed. */
  change(count: number): string {
    const step = this.#rows.length / count;
    for (let change = 0; change < count; change++) {
      const row = Math.floor(change * step);
      this.#rows[row] = this.#makeRow(row);
    }
    return this.next();
  }

  /** The JSON of the next result. */
  next(): string {
    for (let change = 0; change < this.#shape.changed; change++) {
      const row = Math.floor(this.#random() * this.#rows.length);
      this.#rows[row] = this.#makeRow(row);
    }
    return `{"fields":${fields},"rows":[${this.#rows.join(",")}],"rowCount":${this.#rows.length}}`;
  }

  #makeRow(row: number): string {
    const name = Math.floor(this.#random() * 2 ** 32).toString(16);
    const amount = (this.#random() * 10_000).toFixed(2);
    const at = new Date(1_767_225_600_000 + Math.floor(this.#random() * 1e9)).toISOString();
    const region = regions[Math.floor(this.#random() * regions.length)];
    return JSON.stringify([
      row + 1,
      `customer ${name}`,
      region,
      amount,
      at,
      Math.floor(this.#random() * 1000),
    ]);
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}

const fields = JSON.stringify([
  { name: "id", type: "integer" },
  { name: "customer", type: "string" },
  { name: "region", type: "string" },
  { name: "amount", type: "decimal" },
  { name: "updated", type: "timestamp" },
  { name: "orders", type: "integer" },
]);
