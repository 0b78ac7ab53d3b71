import fc from "fast-check";
import { examples } from "../../api-reference/example-text.ts";
import { kindOfField } from "../kind-of-field.ts";
import { type IdsOfKind, loopbackUrl } from "./symbols.ts";

// What the recording of the examples has put in the place of ids and of secrets.
const isReplaced = /^(019a42c5-e800-7000-8000-\d{12}|w7hq4k2m[a-z]\d)$|…/;

interface Place {
  /** The name of the field. */
  name: string;
  router: string;
}

/**
 * The input of the procedure's example in the reference, with ids of this run. It keeps the rules that only code knows:
 * names of parameters, a schedule that exists, columns of a file.
 */
export function recordedInput(path: string, idsOf: IdsOfKind): fc.Arbitrary<unknown> {
  const [router = ""] = path.split(".");
  return like(examples[path]?.input, { name: "", router }, idsOf);
}

function like(value: unknown, place: Place, idsOf: IdsOfKind): fc.Arbitrary<unknown> {
  if (typeof value === "string") return textLike(value, place, idsOf);
  if (Array.isArray(value)) return fc.tuple(...value.map((entry) => like(entry, place, idsOf)));
  if (typeof value !== "object" || value === null) return fc.constant(value);
  return fc.record(
    Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, like(inner, { ...place, name }, idsOf)]),
    ),
    { noNullPrototype: true },
  );
}

function textLike(text: string, { name, router }: Place, idsOf: IdsOfKind): fc.Arbitrary<string> {
  // Nothing is sent beyond this machine.
  if (name === "url") return fc.constant(loopbackUrl);
  if (!isReplaced.test(text)) return fc.constant(text);
  const kind = kindOfField(name, router);
  if (!kind) throw new Error(`Say in testing/kind-of-field.ts what ${name} of ${router} identifies.`);
  return idsOf(kind);
}

/** The recorded input with one field as it is generated. */
export const withOneField = (
  recorded: fc.Arbitrary<unknown>,
  generated: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> =>
  fc.tuple(recorded, generated, fc.nat(50)).map(([input, other, at]) => {
    const fields = isObject(other) ? Object.entries(other) : [];
    const field = fields[at % Math.max(1, fields.length)];
    return field ? { ...(isObject(input) ? input : {}), [field[0]]: field[1] } : input;
  });

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
