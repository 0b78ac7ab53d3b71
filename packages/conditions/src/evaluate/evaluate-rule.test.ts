import { Condition, ConditionRule, type ConditionState } from "@querybell/domain/conditions";
import type { Field, JsonValue } from "@querybell/domain/results";
import type { ResultTable } from "@querybell/summaries/result-table";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluateRule, type RuleOutcome } from "./evaluate-rule.ts";
import type { Evidence } from "./outcomes.ts";
import { replayRule, summarizeReplay } from "./replay.ts";
import { problemOfKey } from "./rows-changed.ts";

const fields: Field[] = [
  { name: "id", type: "integer" },
  { name: "amount", type: "decimal" },
  { name: "cost", type: "decimal" },
  { name: "day", type: "date" },
];
const table = (rows: JsonValue[][], cut = false): ResultTable => ({ fields, rows, cut });
const amounts = (...values: (string | null)[]): ResultTable =>
  table(values.map((value, i) => [i + 1, value, "10", "2026-11-01"]));

const start = Date.UTC(2026, 10, 18);
const hour = 3_600_000;

/** Judges results one after the other, an hour apart. */
function run(input: unknown, results: (ResultTable | null)[]): RuleOutcome[] {
  const rule = ConditionRule.parse(input);
  return [
    ...replayRule(
      rule,
      results.map((result, i) => ({ at: new Date(start + i * hour), result })),
    ),
  ];
}

const toldOf = (outcomes: readonly RuleOutcome[]) => outcomes.map(({ told }) => told?.kind ?? null);
const statusOf = (outcomes: readonly RuleOutcome[]) => outcomes.map(({ state }) => state.status);

const sumOver = (limit: string, more = {}) => ({
  condition: {
    kind: "figure",
    figure: { operation: "sum", column: "amount" },
    is: { operator: "more", to: { kind: "value", value: limit }, ...more },
  },
});

const isMet = (condition: unknown, result: ResultTable, more: Partial<Evidence> = {}) => {
  const state: ConditionState = { status: "normal", runsMet: 0, runsNotMet: 1, open: null };
  const evidence = {
    now: new Date(start),
    result,
    base: null,
    charts: new Map(),
    judge: () => {
      throw new Error("unused");
    },
    ...more,
  };
  return evaluateRule(ConditionRule.parse({ condition }), evidence, state).state.status;
};

describe("states", () => {
  test("told once when met, and when resolved; the first run tells nothing", () => {
    const outcomes = run(
      sumOver("100"),
      ["150", "150", "150", "50", "50"].map((value) => amounts(value)),
    );
    expect(toldOf(outcomes)).toEqual([null, "met", null, "resolved", null]);
    expect(statusOf(outcomes)).toEqual(["normal", "met", "met", "resolved", "normal"]);
    expect(outcomes[1]?.told?.facts).toEqual([
      {
        kind: "figure",
        name: "sum of amount",
        value: "150",
        compared: "100",
        difference: "50",
        percent: "50",
      },
    ]);
    expect(outcomes[2]?.reason).toContain("still holds");
  });

  test("told again after a time", () => {
    const rule = { ...sumOver("100"), repeatAfterMinutes: 120 };
    const results = ["50", "150", "150", "150", "150", "150"].map((value) => amounts(value));
    expect(toldOf(run(rule, results))).toEqual([null, "met", null, "again", null, "again"]);
  });

  test("met and resolved only after several runs", () => {
    const rule = { ...sumOver("100"), metForRuns: 2, resolvedForRuns: 2 };
    const results = ["50", "150", "50", "150", "150", "50", "150", "50", "50"].map((value) => amounts(value));
    expect(toldOf(run(rule, results))).toEqual([null, null, null, null, "met", null, null, null, "resolved"]);
  });

  test("a margin keeps a value near the limit from switching to and fro", () => {
    const results = ["50", "101", "99", "96", "94"].map((value) => amounts(value));
    expect(toldOf(run(sumOver("100", { margin: "5" }), results))).toEqual([
      null,
      "met",
      null,
      null,
      "resolved",
    ]);
  });

  test("what was met stays open while there is no data, and is not told twice", () => {
    const results = [amounts("50"), amounts("150"), null, table([[1, "1", "1", null]], true), amounts("150")];
    const outcomes = run(sumOver("100"), results);
    expect(toldOf(outcomes)).toEqual([null, "met", null, null, null]);
    expect(statusOf(outcomes)).toEqual(["normal", "met", "no_data", "no_data", "met"]);
  });

  test("any runs: met and resolved are told in turns", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("50", "150", null), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 3 }),
        (values, metForRuns, resolvedForRuns) => {
          const results = values.map((value) => (value === null ? null : amounts(value)));
          const outcomes = run({ ...sumOver("100"), metForRuns, resolvedForRuns }, results);
          const told = toldOf(outcomes).filter((kind) => kind !== null);
          expect(told).toEqual(told.map((_, i) => (i % 2 === 0 ? "met" : "resolved")));
          expect(outcomes[0]?.told).toBeNull();
          for (const { told: one, reason } of outcomes) expect(one === null).toBe(reason !== null);
        },
      ),
    );
  });
});

describe("comparisons", () => {
  const sumIs = (is: unknown) => ({ kind: "figure", figure: { operation: "sum", column: "amount" }, is });

  test("digits beyond those of a double decide", () => {
    const over = (value: string) => sumIs({ operator: "more", to: { kind: "value", value } });
    const result = amounts("9007199254740993.000000000000000001");
    expect(isMet(over("9007199254740993"), result)).toBe("met");
    expect(isMet(over("9007199254740993.000000000000000001"), result)).toBe("normal");
  });

  test("any two decimals compare as their digits say", () => {
    const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(9));
    const write = ([units, scale]: [bigint, number]) =>
      `${units}.${"0".repeat(scale)}1`.replace("-0.", "-0.");
    fc.assert(
      fc.property(decimal, decimal, (one, other) => {
        const [first, second] = [write(one), write(other)];
        const status = isMet(
          sumIs({ operator: "more", to: { kind: "value", value: second } }),
          amounts(first),
        );
        const exact = (text: string) => {
          const [whole = "0", digits = ""] = text.split(".");
          const scaled = BigInt(whole) * 10n ** 12n;
          const fraction = BigInt(digits.padEnd(12, "0"));
          return text.startsWith("-") ? scaled - fraction : scaled + fraction;
        };
        expect(status).toBe(exact(first) > exact(second) ? "met" : "normal");
      }),
    );
  });

  test("with another column, another chart and the last run, in percent", () => {
    const result = amounts("12", "20");
    expect(isMet(sumIs({ operator: "more", to: { kind: "column", column: "cost" } }), result)).toBe("met");
    const byPercent = (amount: string) =>
      sumIs({ operator: "more", to: { kind: "last_run" }, by: { amount, unit: "percent" } });
    expect(isMet(byPercent("59.9"), result, { base: amounts("20") })).toBe("met");
    expect(isMet(byPercent("60"), result, { base: amounts("20") })).toBe("normal");
    expect(isMet(byPercent("60"), result, { base: amounts("0") })).toBe("no_data");
    expect(isMet(byPercent("60"), result)).toBe("no_data");
    const toChart = sumIs({
      operator: "less",
      to: { kind: "chart", shortId: "abc", figure: { operation: "sum", column: "amount" } },
    });
    expect(isMet(toChart, result, { charts: new Map([["abc", amounts("33")]]) })).toBe("met");
    expect(isMet(toChart, result)).toBe("no_data");
  });

  test("with the period before: the last that is over and the one before it", () => {
    const rows = [
      [1, "5", null, "2026-11-18"],
      [2, "30", null, "2026-11-10"],
      [3, "10", null, "2026-11-04"],
      [4, "10", null, "2026-11-08"],
    ];
    const weekly = sumIs({
      operator: "more",
      to: { kind: "period_before", dates: "day", period: "week" },
      by: { amount: "9.99", unit: "absolute" },
    });
    expect(isMet(weekly, table(rows))).toBe("met");
    expect(isMet(weekly, table(rows.slice(0, 2)))).toBe("no_data");
  });

  test("any and every row; an empty cell meets nothing", () => {
    const rows = (which: string) => ({
      kind: "rows",
      which,
      column: "amount",
      is: { operator: "more", to: { kind: "column", column: "cost" } },
    });
    expect(isMet(rows("any"), amounts("5", "11"))).toBe("met");
    expect(isMet(rows("every"), amounts("5", "11"))).toBe("normal");
    expect(isMet(rows("every"), amounts("10.01", "11"))).toBe("met");
    expect(isMet(rows("every"), amounts("11", null))).toBe("normal");
    expect(isMet(rows("every"), amounts())).toBe("no_data");
  });

  test("dates compare as dates, and staleness by the newest", () => {
    const stale = { kind: "stale", dates: "day", afterMinutes: 3 * 1440 };
    expect(isMet(stale, table([[1, "1", "1", "2026-11-14"]]))).toBe("met");
    expect(
      isMet(
        stale,
        table([
          [1, "1", "1", "2026-11-14"],
          [2, "1", "1", "2026-11-16"],
        ]),
      ),
    ).toBe("normal");
    expect(isMet(stale, table([[1, "1", "1", null]]))).toBe("no_data");
    const late = (value: string) => ({
      kind: "figure",
      figure: { operation: "maximum", column: "day" },
      is: { operator: "more", to: { kind: "value", value } },
    });
    expect(isMet(late("2026-10-31"), amounts("1"))).toBe("met");
    expect(isMet(late("no date"), amounts("1"))).toBe("no_data");
  });

  test("what is missing decides only if the rest does not", () => {
    const [yes, no, unknown] = [
      { kind: "failed" },
      { kind: "cut" },
      sumIs({ operator: "more", to: { kind: "last_run" } }),
    ];
    const group = (kind: string, ...conditions: unknown[]) => ({ kind, conditions });
    const status = (condition: unknown) => isMet(condition, amounts("1"));
    expect(status(group("any", no, unknown))).toBe("no_data");
    expect(status(group("all", no, unknown))).toBe("normal");
    expect(status(group("any", no, group("all", no)))).toBe("normal");
    expect(run({ condition: group("any", yes, unknown) }, [amounts("1"), null])[1]?.state.status).toBe("met");
  });
});

test("of a series by day, a sum is judged once its day is over, and an average at once", () => {
  const days = 60;
  const series: ResultTable = {
    fields: [
      { name: "day", type: "date" },
      { name: "amount", type: "integer" },
    ],
    rows: Array.from({ length: days }, (_, day) => [
      new Date(start - (days - 1 - day) * 24 * hour).toISOString().slice(0, 10),
      day === days - 1 ? 3 : 1_000 + ((day * 37) % 41),
    ]),
    cut: false,
  };
  const isOddAt = (operation: string, hours: number) =>
    isMet(
      {
        kind: "out_of_the_ordinary",
        figure: { operation, column: "amount" },
        dates: "day",
        timeZone: "UTC",
      },
      series,
      { now: new Date(start + hours * hour) },
    );
  expect([isOddAt("sum", 9), isOddAt("sum", 25), isOddAt("average", 9)]).toEqual(["normal", "met", "met"]);
});

describe("rows that entered, left or changed", () => {
  const changed = (more = {}) => ({
    condition: { kind: "rows_changed", changes: ["entered", "left", "changed"], key: ["id"], ...more },
  });
  const rowsOf = (outcome: RuleOutcome | undefined) =>
    outcome?.told?.facts.flatMap((fact) => (fact.kind === "rows" ? fact.rows : [])) ?? [];

  test("each row once, with what it was", () => {
    const [first, second] = [
      amounts("1", "2"),
      table([
        [2, "2.00", "10", "2026-11-01"],
        [3, "5", "10", null],
      ]),
    ];
    const outcomes = run(changed(), [first, second]);
    expect(rowsOf(outcomes[1]).map(({ change, key }) => [change, ...key])).toEqual([
      ["entered", 3],
      ["left", 1],
    ]);
  });

  test("told in each run that has some, and never as resolved", () => {
    const outcomes = run(changed(), [amounts("1"), amounts("2"), amounts("3"), amounts("3"), amounts("4")]);
    expect(toldOf(outcomes)).toEqual([null, "met", "met", null, "met"]);
    expect(statusOf(outcomes)).toEqual(["no_data", "met", "met", "normal", "met"]);
  });

  test("any two results: what changed turns the one into the other", () => {
    const rows = fc.uniqueArray(fc.tuple(fc.nat(12), fc.constantFrom("1", "2", "3")), {
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(rows, rows, (before, now) => {
        const toTable = (list: [number, string][]) =>
          table(list.map(([id, amount]) => [id, amount, "1", null]));
        const map = new Map<number, string>(before);
        for (const { change, key, now: row } of rowsOf(run(changed(), [toTable(before), toTable(now)])[1])) {
          const id = Number(key[0]);
          expect(map.has(id)).toBe(change !== "entered");
          if (change === "left") map.delete(id);
          else map.set(id, String(row?.[1]));
        }
        expect([...map].sort()).toEqual([...new Map(now)].sort());
      }),
    );
  });

  test("a column that is new, or had another type, hides no other change, and is compared from then on", () => {
    const before: ResultTable = {
      ...amounts("1", "2", "3"),
      fields: [...fields.slice(0, 3), { name: "day", type: "string" }],
    };
    const wide = (rows: JsonValue[][]): ResultTable => ({
      fields: [...fields, { name: "note", type: "string" }],
      rows,
      cut: false,
    });
    const now = wide([
      [1, "1", "10", "2026-11-02", "new"],
      [2, "5", "10", "2026-11-02", "new"],
      [4, "4", "10", "2026-11-02", "new"],
    ]);
    const last = wide(now.rows.map((row, at) => (at === 0 ? [...row.slice(0, 4), "other"] : [...row])));
    const changesOf = (rule: object) =>
      run(rule, [before, now, last]).map((outcome) =>
        rowsOf(outcome).map(({ change, key }) => [change, ...key]),
      );
    const all = [
      [],
      [
        ["changed", 2],
        ["entered", 4],
        ["left", 3],
      ],
      [["changed", 1]],
    ];
    expect(changesOf(changed())).toEqual(all);
    expect(changesOf(changed({ columns: ["amount", "note"] }))).toEqual(all);
  });

  test("a filter decides which rows count", () => {
    const where = [{ column: "amount", operator: "more", value: 10 }];
    const outcomes = run(changed({ where }), [amounts("5", "20"), amounts("15", "3")]);
    expect(rowsOf(outcomes[1]).map(({ change, key }) => [change, ...key])).toEqual([
      ["entered", 1],
      ["left", 2],
    ]);
  });

  test("rows with the same key are refused when saved, and are no data later", () => {
    const twice = table([
      [1, "1", "1", null],
      [1, "2", "1", null],
    ]);
    expect(problemOfKey(twice, ["id"])).toContain("Several rows have the same id: 1.");
    expect(problemOfKey(twice, ["id", "amount"])).toBeNull();
    // The result after it is compared with the one before, so that no change is lost.
    expect(run(changed(), [amounts("1"), twice, amounts("1")]).map(({ state }) => state.status)).toEqual([
      "no_data",
      "no_data",
      "normal",
    ]);
  });

  test("the base is the last result that was completed and not truncated", () => {
    const outcomes = run(changed(), [amounts("1"), null, table([], true), amounts("1"), amounts("1", "2")]);
    expect(toldOf(outcomes)).toEqual([null, null, null, null, "met"]);
    expect(rowsOf(outcomes[4])).toHaveLength(1);
  });
});

test("a condition that makes no sense is refused with what to do", () => {
  const problem = (condition: unknown) => Condition.safeParse(condition).error?.issues[0]?.message;
  expect(
    problem({
      kind: "figure",
      figure: { operation: "sum" },
      is: { operator: "more", to: { kind: "last_run" } },
    }),
  ).toBe("must name the column that the figure is of");
  expect(problem({ kind: "all", conditions: [] })).toBe("must have at least one condition");
  expect(
    problem({ kind: "rows", which: "any", column: "a", is: { operator: "more", to: { kind: "last_run" } } }),
  ).toContain("a row has no period before");
});

test("changed rows are joined with other conditions only by `all`, and told in the first run that has them", () => {
  const changes = { kind: "rows_changed", changes: ["entered"], key: ["id"] };
  const accepts = (rule: unknown) => ConditionRule.safeParse(rule).success;
  expect(accepts({ condition: { kind: "all", conditions: [changes, { kind: "cut" }] } })).toBe(true);
  expect(accepts({ condition: { kind: "any", conditions: [changes, { kind: "cut" }] } })).toBe(false);
  expect(accepts({ condition: changes, metForRuns: 2 })).toBe(false);
});

test("a replay says how often a month it would have spoken", () => {
  const days = Array.from({ length: 61 }, (_, i) => ({
    at: new Date(start + i * 24 * hour),
    result: amounts(i % 10 === 5 ? "150" : "50"),
  }));
  const summary = summarizeReplay(replayRule(ConditionRule.parse(sumOver("100")), days));
  expect(summary.told.filter(({ kind }) => kind === "met")).toHaveLength(6);
  expect(summary.metPerMonth).toBeCloseTo(3.04, 1);
});
