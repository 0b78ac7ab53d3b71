import fc from "fast-check";
import type { z } from "zod";
import { kindOfField } from "../kind-of-field.ts";
import { statements } from "./hostile-values.ts";
import { type IdsOfKind, loopbackUrl, ourIds } from "./symbols.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

interface Place {
  /** The name of the field. */
  name: string;
  router: string;
  idsOf: IdsOfKind;
}

/** Values that a JSON schema accepts, with ids that exist. Rules that only code knows may still refuse some. */
export function arbitraryOf(schema: JsonSchema | boolean, place: Place): fc.Arbitrary<unknown> {
  if (typeof schema === "boolean") return anyScalar;
  if (schema.allOf) throw new Error(`Teach arbitrary-of-schema.ts allOf: ${JSON.stringify(schema)}`);
  const byType = arbitraryOfType(schema, place);
  // A format that cannot be guessed has an example in its schema.
  return schema.examples ? fc.oneof(fc.constantFrom(...schema.examples), byType) : byType;
}

function arbitraryOfType(schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => arbitraryOf(one, place)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types: readonly unknown[] = [schema.type].flat();
  return fc.oneof(...types.map((type) => oneType(type, schema, place)));
}

function oneType(type: unknown, schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  switch (type) {
    case "object":
      return schema.properties ? objectOf(schema, place) : recordOf(schema, place);
    case "array":
      return arrayOf(schema, place);
    case "string":
      return textOf(schema, place);
    case "integer":
      return integerOf(schema);
    case "number":
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return anyScalar;
  }
}

const anyScalar = fc.oneof(fc.string({ maxLength: 20 }), fc.integer(), fc.boolean(), fc.constant(null));

const objectOf = ({ properties = {}, required = [] }: JsonSchema, place: Place) =>
  fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema, { ...place, name })]),
    ),
    { requiredKeys: required, noNullPrototype: true },
  );

/** The names of the seeded queries' parameters, or any. */
const recordOf = ({ additionalProperties = true }: JsonSchema, place: Place) =>
  fc.dictionary(
    fc.oneof(fc.constantFrom("least", "n", "list", "name"), fc.string({ maxLength: 20 })),
    arbitraryOf(additionalProperties, { ...place, name: "" }),
    { maxKeys: 3, noNullPrototype: true },
  );

function arrayOf(schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const { items = true, minItems = 0, maxItems = 50 } = schema;
  const item = arbitraryOf(Array.isArray(items) ? (items[0] ?? true) : items, place);
  return fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
}

function integerOf({ minimum = -1000, maximum = 1000 }: JsonSchema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 50) }),
  );
}

function textOf(schema: JsonSchema, { name, router, idsOf }: Place): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = 1_000 } = schema;
  const kind = kindOfField(name, router);
  if (kind) return idsOf(kind);
  if (format === "uuid") return fc.uuid();
  if (format === "email")
    return fc.oneof(
      ourIds("email"),
      fc.nat(50).map((at) => `person-${at}@example.test`),
    );
  if (format === "date-time")
    return fc.date({ noInvalidDate: true, ...years }).map((date) => date.toISOString());
  if (format === "uri" || name === "url") return fc.constantFrom(loopbackUrl, "https://name.invalid/hooks");
  if (name === "host") return fc.constantFrom("127.0.0.1", "localhost", "name.invalid", "::1", "10.0.0.1");
  if (name === "sql") return fc.constantFrom(...statements);
  if (pattern) return fc.stringMatching(new RegExp(pattern, "u"), { maxLength: Math.min(maxLength, 60) });
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 30) }) },
    {
      weight: 2,
      arbitrary: fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, minLength + 10) }),
    },
    { weight: 1, arbitrary: fc.constantFrom("a".repeat(minLength), "b".repeat(maxLength)) },
  );
}

const years = { min: new Date("1970-01-01"), max: new Date("2200-01-01") };
