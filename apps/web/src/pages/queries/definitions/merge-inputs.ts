import type { DraftParameters, ParameterInputs, QueryParameters } from "@querybell/domain";
import { isSameJson } from "@querybell/domain/same-json";
import { noInputs, withAllDefined } from "../../../parameters/parameter-values.ts";

interface Merged {
  /** What both started from. */
  base: ParameterInputs;
  mine: ParameterInputs;
  theirs: ParameterInputs;
}

/** Applies one's own changes to what somebody else has saved. Where both changed one thing, one's own counts. */
export function mergeInputs({ base, mine, theirs }: Merged): ParameterInputs {
  return {
    definitions: [...merge(byName(base), byName(mine), byName(theirs)).values()],
    choices: Object.fromEntries(merge(ofChoices(base), ofChoices(mine), ofChoices(theirs))),
    ranges: [...merge(byStart(base), byStart(mine), byStart(theirs)).values()],
  };
}

/** The changes of a draft, applied to the parameters that the query has by now. */
export function mergeDraft({ base, ...mine }: DraftParameters, saved: QueryParameters): DraftParameters {
  const theirs = comparable(saved, mine);
  return { ...mergeInputs({ base: base ?? noInputs, mine, theirs }), base: theirs };
}

/** A draft defines all placeholders of its text, also those that nobody has changed. */
const comparable = <Inputs extends ParameterInputs>(theirs: Inputs, mine: ParameterInputs): Inputs =>
  withAllDefined(
    mine.definitions.map(({ name }) => name),
    theirs,
  );

/** The parameters that a draft and somebody else have both changed, each in another way. */
export function changedByBoth({ base, ...mine }: DraftParameters, saved: QueryParameters): string[] {
  const [before, theirs] = [base ?? noInputs, comparable(saved, mine)];
  const changed = [byName, ofChoices, byStart].flatMap((keyed) => {
    const [was, my, their] = [keyed(before), keyed(mine), keyed(theirs)];
    return [...new Set([...was.keys(), ...my.keys(), ...their.keys()])].filter(
      (key) =>
        !isSame(was.get(key), my.get(key)) &&
        !isSame(was.get(key), their.get(key)) &&
        !isSame(my.get(key), their.get(key)),
    );
  });
  return [...new Set(changed)];
}

const byName = ({ definitions }: ParameterInputs) => toMap(definitions, ({ name }) => name);
const byStart = ({ ranges }: ParameterInputs) => toMap(ranges, ({ start }) => start);
const ofChoices = ({ choices }: ParameterInputs) => new Map(Object.entries(choices));

const toMap = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> =>
  new Map(items.map((item) => [keyOf(item), item]));

const isSame = (one: unknown, other: unknown): boolean => isSameJson(one ?? null, other ?? null);

function merge<Item>(
  base: ReadonlyMap<string, Item>,
  mine: ReadonlyMap<string, Item>,
  theirs: ReadonlyMap<string, Item>,
): Map<string, Item> {
  const merged = new Map(theirs);
  for (const [key, item] of mine) if (!isSame(item, base.get(key))) merged.set(key, item);
  for (const key of base.keys()) if (!mine.has(key)) merged.delete(key);
  return merged;
}
