type Row = [id: number, amount: string, note: string | null];

/** A change as an event tells it. */
export interface ListChange {
  change: "entered" | "left" | "changed";
  now: Row | null;
  before: Row | null;
}

/** Rows that change, always in the same way for a seed. Now and then so many that they need several events. */
export class ChangingList {
  #rows = new Map<number, Row>();
  #lastId = 0;
  #steps = 0;
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  change(): void {
    const size = this.#steps++ % 7 === 3 ? 300 : 5;
    for (const id of [...this.#rows.keys()]) {
      const chance = this.#random();
      if (chance < 0.02) this.#rows.delete(id);
      else if (chance < 0.06) this.#rows.set(id, this.#makeRow(id));
    }
    for (let added = 0; added < size; added++) {
      const id = ++this.#lastId;
      this.#rows.set(id, this.#makeRow(id));
    }
  }

  /** Ids, amounts and notes. */
  columns(): [number[], string[], (string | null)[]] {
    const rows = [...this.#rows.values()];
    return [rows.map(([id]) => id), rows.map(([, amount]) => amount), rows.map(([, , note]) => note)];
  }

  snapshot(): ReadonlyMap<number, Row> {
    return new Map(this.#rows);
  }

  changesSince(before: ReadonlyMap<number, Row>): ListChange[] {
    const changes: ListChange[] = [];
    for (const [id, now] of this.#rows) {
      const old = before.get(id);
      if (!old) changes.push({ change: "entered", now, before: null });
      else if (JSON.stringify(old) !== JSON.stringify(now))
        changes.push({ change: "changed", now, before: old });
    }
    for (const [id, old] of before) {
      if (!this.#rows.has(id)) changes.push({ change: "left", now: null, before: old });
    }
    return changes;
  }

  #makeRow(id: number): Row {
    // More digits than a JSON number has.
    const amount = `${Math.floor(this.#random() * 1e15)}${Math.floor(1000 + this.#random() * 9000)}.50`;
    return [id, amount, this.#random() < 0.1 ? null : `note ${Math.floor(this.#random() * 1e6)} "ä"`];
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}
