import fc from "fast-check";
import { hostileText, hostileValue } from "./hostile-values.ts";

/** One change of a valid input. `place` and `at` choose where, modulo how many places there are. */
interface Change {
  kind: "replace" | "remove" | "add" | "lengthen";
  place: number;
  value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("replace", "replace", "replace", "remove", "add", "lengthen"),
  place: fc.nat(200),
  value: hostileValue,
});

/** A valid input with one change. */
export const nearValid = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(valid, change).map(([input, one]) => mutate(input, one));

/** A valid input in which one to three values are replaced by hostile texts. */
export const hostile = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(200), hostileText), { minLength: 1, maxLength: 3 }))
    .map(([input, texts]) =>
      texts.reduce((mutated, [place, value]) => mutate(mutated, { kind: "replace", place, value }), input),
    );

function mutate(input: unknown, change: Change): unknown {
  const places = placesIn(input);
  const path = places[change.place % places.length] ?? [];
  return changedAt(input, path, change);
}

type Path = (string | number)[];

/** The path of every value in the input, the input itself last. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    placesIn(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [...inner, path];
}

function changedAt(value: unknown, [key, ...rest]: Path, change: Change): unknown {
  if (key === undefined) return changed(value, change);
  if (Array.isArray(value)) {
    const isRemoved = rest.length === 0 && change.kind === "remove";
    if (isRemoved) return value.toSpliced(Number(key), 1);
    return value.with(Number(key), changedAt(value[Number(key)], rest, change));
  }
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  if (rest.length === 0 && change.kind === "remove") return others;
  return { ...others, [key]: changedAt(inner, rest, change) };
}

function changed(value: unknown, { kind, value: other }: Change): unknown {
  if (kind === "add" && typeof value === "object" && value !== null) {
    return Array.isArray(value) ? [...value, other] : { ...value, additional: other };
  }
  if (kind === "lengthen") {
    if (typeof value === "string") return value + "x".repeat(5_000);
    if (typeof value === "number") return value + 1;
    if (Array.isArray(value)) return Array.from({ length: 150 }, () => value[0] ?? other);
  }
  return other;
}
