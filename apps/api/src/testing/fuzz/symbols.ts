import fc from "fast-check";

/** Where an id belongs: to the organization that calls, or to the other one. */
export type Whose = "ours" | "theirs";

/**
 * A generated call names ids by symbols, because the organizations get new ids in each run: the same seed gives the same
 * call. The symbols are replaced when the call is sent. `at` counts through the ids of one kind.
 */
export const symbolOf = (whose: Whose, kind: string, at: number): string => `<${whose} ${kind} ${at}>`;

const symbol = /<(ours|theirs) (\w+) (\d+)>/g;

export type IdsByKind = Map<string, string[]>;

const unknownId = "00000000-0000-7000-8000-000000000000";

/** The text with every symbol replaced. An organization without an id of a kind gives one that does not exist. */
export const replaceSymbols = (text: string, ids: Record<Whose, IdsByKind>): string =>
  text.replace(symbol, (_, whose: Whose, kind: string, at: string) => {
    const found = ids[whose].get(kind) ?? [];
    return found[Number(at) % Math.max(1, found.length)] ?? unknownId;
  });

/** The same for every text in a value of JSON. */
export function replaceSymbolsIn(value: unknown, ids: Record<Whose, IdsByKind>): unknown {
  if (typeof value === "string") return replaceSymbols(value, ids);
  if (Array.isArray(value)) return value.map((entry) => replaceSymbolsIn(entry, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceSymbolsIn(inner, ids)]));
}

/** Which ids of a kind a generated call names. */
export type IdsOfKind = (kind: string) => fc.Arbitrary<string>;

export const ourIds: IdsOfKind = (kind) => fc.nat(20).map((at) => symbolOf("ours", kind, at));

/** Also ids of the other organization, and ids of nothing. */
export const anyIds: IdsOfKind = (kind) =>
  fc.oneof(
    { weight: 6, arbitrary: ourIds(kind) },
    { weight: 3, arbitrary: fc.nat(20).map((at) => symbolOf("theirs", kind, at)) },
    { weight: 1, arbitrary: fc.uuid() },
  );

/** An address at which nothing answers. */
export const loopbackUrl = "http://127.0.0.1:1/v1";
