import type { ParameterInputs } from "@querybell/domain";

interface Merged {
  /** What both started from. */
  base: ParameterInputs;
  mine: ParameterInputs;
  theirs: ParameterInputs;
}

/** Applies one's own changes to what somebody else has saved. Where both changed one thing, one's own counts. */
export function mergeInputs({ base, mine, theirs }: Merged): ParameterInputs {
  const byName = ({ definitions }: ParameterInputs) => toMap(definitions, ({ name }) => name);
  const byStart = ({ ranges }: ParameterInputs) => toMap(ranges, ({ start }) => start);
  const ofChoices = ({ choices }: ParameterInputs) => new Map(Object.entries(choices));
  return {
    definitions: [...merge(byName(base), byName(mine), byName(theirs)).values()],
    choices: Object.fromEntries(merge(ofChoices(base), ofChoices(mine), ofChoices(theirs))),
    ranges: [...merge(byStart(base), byStart(mine), byStart(theirs)).values()],
  };
}

const toMap = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> =>
  new Map(items.map((item) => [keyOf(item), item]));

function merge<Item>(
  base: ReadonlyMap<string, Item>,
  mine: ReadonlyMap<string, Item>,
  theirs: ReadonlyMap<string, Item>,
): Map<string, Item> {
  const merged = new Map(theirs);
  for (const [key, item] of mine) {
    if (JSON.stringify(item) !== JSON.stringify(base.get(key))) merged.set(key, item);
  }
  for (const key of base.keys()) if (!mine.has(key)) merged.delete(key);
  return merged;
}
