/** The first items by an order, without sorting the others. */
export function firstOf<Item>(
  items: readonly Item[],
  count: number,
  order: (one: Item, other: Item) => number,
): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    const last = first.at(-1);
    if (first.length >= count && last !== undefined && order(item, last) >= 0) continue;
    const place = first.findIndex((other) => order(item, other) < 0);
    first.splice(place === -1 ? first.length : place, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}
