import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DigestTable } from "../digest/digest-table.ts";
import type { JsonValue } from "../results/json-value.ts";
import type { Declaration, Figure } from "./declaration.ts";
import { checkText } from "./testing/check-text.ts";
import { type Exact, exactOf, isRightlyWritten } from "./testing/exact.ts";

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(6))
  .map(([units, scale]) => {
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
    const point = digits.length - scale;
    return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
  });
const row = fc.tuple(
  fc.constantFrom("Kettle", "Pan", "Tent", "Spade"),
  decimal,
  fc.oneof(fc.integer({ min: -9, max: 9 }), fc.maxSafeInteger()),
  fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constant(null)),
);
const table: fc.Arbitrary<DigestTable> = fc.array(row, { minLength: 1, maxLength: 5 }).map((rows) => ({
  fields: [
    { name: "product", type: "string" },
    { name: "revenue", type: "decimal" },
    { name: "orders", type: "integer" },
    { name: "weight", type: "number" },
  ],
  rows: rows as JsonValue[][],
  cut: false,
}));
const figure: fc.Arbitrary<Figure> = fc.record(
  {
    result: fc.constantFrom("r1", "r1_before"),
    column: fc.constantFrom("revenue", "orders", "weight"),
    rows: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
    where: fc
      .constantFrom("Kettle", "Pan")
      .map((value) => [{ column: "product", operator: "equals" as const, value }]),
    operation: fc.constantFrom("value", "sum", "count", "average", "minimum", "maximum"),
  },
  { requiredKeys: ["result", "column", "operation"] },
);
const operation = fc.constantFrom<Declaration["operation"][]>(
  "figure",
  "difference",
  "ratio",
  "percentage",
  "percentage_change",
);

interface Claim {
  results: { r1: DigestTable; r1_before: DigestTable };
  declaration: Omit<Declaration, "written">;
  /** Digits after the point, and the unit behind it. */
  scale: number;
  unit: "" | " k" | " M" | "%";
  isGrouped: boolean;
}
const claim: fc.Arbitrary<Claim> = fc
  .record({
    results: fc.record({ r1: table, r1_before: table }),
    operation,
    of: figure,
    against: figure,
    scale: fc.nat(5),
    unit: fc.constantFrom("" as const, " k" as const, " M" as const),
    isGrouped: fc.boolean(),
  })
  .map(({ operation, of, against, unit, ...rest }) => {
    const isPercent = operation === "percentage" || operation === "percentage_change";
    return {
      ...rest,
      unit: isPercent ? "%" : unit,
      declaration: { operation, of, ...(operation !== "figure" && { against }) },
    };
  });

const exponents = { "": 0, "%": 0, " k": 3, " M": 6 };

/** Writes this many units, with a direction where a change has no sign. */
function write({ declaration, scale, unit, isGrouped }: Claim, units: bigint, hasSign: boolean) {
  const size = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const whole = size.slice(0, size.length - scale);
  const grouped = isGrouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, ",") : whole;
  const fraction = scale > 0 ? `.${size.slice(-scale)}` : "";
  const isChange = declaration.operation === "difference" || declaration.operation === "percentage_change";
  const direction = isChange && !hasSign && units !== 0n ? (units < 0n ? "down" : "up") : undefined;
  const sign = direction === undefined && units < 0n ? "-" : "";
  const plus = isChange && hasSign && units > 0n ? "+" : "";
  return {
    written: `${sign}${plus}${grouped}${fraction}${unit}`,
    ...(direction && ({ direction } as const)),
  };
}

const unitsOf = ({ top, bottom }: Exact, scale: number): bigint => {
  const scaled = scale >= 0 ? top * 10n ** BigInt(scale) : top;
  const by = scale >= 0 ? bottom : bottom * 10n ** BigInt(-scale);
  const size = scaled < 0n ? -scaled : scaled;
  const rounded = size / by + ((size % by) * 2n >= by ? 1n : 0n);
  return scaled < 0n ? -rounded : rounded;
};

const passes = (claim: Claim, said: ReturnType<typeof write>): boolean =>
  checkText(
    { text: `It is ${said.written} there.`, declarations: [{ ...claim.declaration, ...said }] },
    claim.results,
  ).problems.length === 0;

/** What the declaration gives, computed in another way; skips what has no value. */
function expected(claim: Claim): Exact {
  const exact = exactOf(claim.declaration, claim.results);
  fc.pre(exact !== null && unitsOf(exact, claim.scale - exponents[claim.unit]) !== 0n);
  return exact ?? { top: 0n, bottom: 1n };
}

describe("the check of numbers", () => {
  test("passes what is right, with the rounding as written", () => {
    fc.assert(
      fc.property(claim, fc.boolean(), (claim, hasSign) => {
        const units = unitsOf(expected(claim), claim.scale - exponents[claim.unit]);
        expect(passes(claim, write(claim, units, hasSign))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("passes no altered number", () => {
    const delta = fc
      .oneof(fc.constantFrom(1n, -1n), fc.bigInt({ min: -1000n, max: 1000n }))
      .filter((by) => by !== 0n);
    fc.assert(
      fc.property(claim, fc.boolean(), delta, (claim, hasSign, delta) => {
        const units = unitsOf(expected(claim), claim.scale - exponents[claim.unit]) + delta;
        expect(passes(claim, write(claim, units, hasSign))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("passes no altered rounding", () => {
    fc.assert(
      fc.property(claim, fc.boolean(), fc.nat(5), (claim, hasSign, scale) => {
        const exact = expected(claim);
        const units = unitsOf(exact, claim.scale - exponents[claim.unit]);
        const altered = { ...claim, scale };
        const isRight = isRightlyWritten(exact, units, scale - exponents[claim.unit]);
        expect(passes(altered, write(altered, units, hasSign))).toBe(isRight);
      }),
      { numRuns: 300 },
    );
  });

  test("passes no altered declaration, unless that gives the same number", () => {
    const alteration = fc.oneof(
      fc.record({ of: figure }),
      fc.record({ against: figure }),
      fc.record({ operation }),
      fc.record({ of: figure, against: figure, operation }),
    );
    fc.assert(
      fc.property(claim, fc.boolean(), alteration, (claim, hasSign, alteration) => {
        const units = unitsOf(expected(claim), claim.scale - exponents[claim.unit]);
        const altered = { ...claim, declaration: { ...claim.declaration, ...alteration } };
        const said = write(claim, units, hasSign);
        if (!passes(altered, said)) return;
        const exact = exactOf(altered.declaration, claim.results);
        expect(exact).not.toBeNull();
        if (exact) expect(isRightlyWritten(exact, units, claim.scale - exponents[claim.unit])).toBe(true);
        const isPercent = altered.declaration.operation.startsWith("percentage");
        expect(isPercent).toBe(claim.unit === "%");
      }),
      { numRuns: 500 },
    );
  });
});
