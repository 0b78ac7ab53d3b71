import type { Figure } from "@querybell/domain/conditions";
import type { JsonValue } from "@querybell/domain/results";
import { problemOfName, quoteName } from "@querybell/summaries";
import { add, compareDecimals, type Decimal, toDecimalText, zero } from "@querybell/summaries/decimals";
import { absolute, divide, multiply, toFraction, writeFraction } from "@querybell/summaries/fraction";
import type { ResultTable } from "@querybell/summaries/result-table";
import { asText } from "@querybell/summaries/select-rows";
import { nameOfFigure } from "../evaluate/figures.ts";
import { type Group, type Grouping, groupRows } from "./group-rows.ts";

/** What one group of rows contributed to a change. */
interface Contribution {
  /** The values of the dimensions; null: all other values together. */
  values: readonly JsonValue[] | null;
  before: string;
  now: string;
  change: string;
}

/** Contributions of the values of one dimension, or of two, that add up exactly to the change. */
export interface Explanation {
  before: string;
  now: string;
  change: string;
  dimensions: readonly string[];
  /** The cause first, then the others by the size of what they contributed. */
  contributions: Contribution[];
  sentences: string[];
}

const maxContributions = 5;

/** Explains why a sum or a count differs between two results, or says why it cannot. */
export function explainChange(
  now: ResultTable,
  before: ResultTable,
  figure: Figure,
): Explanation | { problem: string } {
  const grouped = groupRows(now, before, figure);
  if ("problem" in grouped) return grouped;
  const cause = findCause(grouped.groupings);
  if (!cause) return { problem: "Nothing has changed." };
  const { grouping, group } = cause;
  const others = grouping.groups
    .filter((other) => other !== group)
    .sort((one, other) => compareDecimals(size(changeOf(other)), size(changeOf(one))));
  const total = sumUp(grouping.groups);
  const shown = [group, ...others.slice(0, maxContributions - 1)];
  const rest = others.slice(maxContributions - 1);
  const contributions = shown.map((one) => toContribution(one, one.values));
  if (rest.length > 0) contributions.push(toContribution(sumUp(rest), null));
  const change = changeOf(total);
  return {
    before: toDecimalText(total.before),
    now: toDecimalText(total.now),
    change: toDecimalText(change),
    dimensions: grouping.dimensions,
    contributions,
    sentences: writeSentences(nameOfFigure(figure), total, { grouping, group }),
  };
}

type Sums = Pick<Group, "before" | "now">;

const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });
const size = ({ units, scale }: Decimal): Decimal => ({ units: units < 0n ? -units : units, scale });
const changeOf = ({ before, now }: Sums): Decimal => add(now, negate(before));
const sumUp = (groups: readonly Sums[]): Sums =>
  groups.reduce((sum, { before, now }) => ({ before: add(sum.before, before), now: add(sum.now, now) }), {
    before: zero,
    now: zero,
  });

const toContribution = (sums: Sums, values: Contribution["values"]): Contribution => ({
  values,
  before: toDecimalText(sums.before),
  now: toDecimalText(sums.now),
  change: toDecimalText(changeOf(sums)),
});

interface Cause {
  grouping: Grouping;
  group: Group;
}

/** A pair of values must explain this much more than a single value, because there are many pairs. */
const advantageOfPairs = 1.15;

/**
 * The group that, if it changed by one factor and all others by another, leaves the least of the changes unexplained:
 * a likelihood ratio, with variances in proportion to sizes. Only groups that moved in the direction of the whole count.
 */
function findCause(groupings: readonly Grouping[]): Cause | null {
  let best: (Cause & { score: number }) | null = null;
  for (const grouping of groupings) {
    const change = Number(toDecimalText(changeOf(sumUp(grouping.groups))));
    if (change === 0) return null;
    const sizes = grouping.groups.map(
      ({ before, now }) => (Math.abs(toNumber(before)) + Math.abs(toNumber(now))) / 2,
    );
    const all = sizes.reduce((sum, one) => sum + one, 0);
    for (const [i, group] of grouping.groups.entries()) {
      const own = toNumber(changeOf(group));
      if (own * change <= 0) continue;
      const [weight, rest] = [sizes[i] ?? 0, all - (sizes[i] ?? 0)];
      const explained = own ** 2 / weight + (rest > 0 ? (change - own) ** 2 / rest : 0) - change ** 2 / all;
      const score = grouping.dimensions.length > 1 ? explained / advantageOfPairs : explained;
      if (!best || score > best.score) best = { grouping, group, score };
    }
  }
  return best;
}

const toNumber = (decimal: Decimal): number => Number(toDecimalText(decimal));

/** Names come from the data, so they are quoted, and left out if they cannot be published. */
function writeSentences(name: string, total: Sums, { grouping, group }: Cause): string[] {
  const change = changeOf(total);
  const direction = change.units < 0n ? "fell" : "rose";
  const own = changeOf(group);
  const share = divide(multiply(toFraction(own), 100n), absolute(toFraction(change)));
  const percent = share && writeFraction(absolute(share), 1);
  const rest = add(change, negate(own));
  const where = grouping.dimensions
    .map((dimension, i) => nameValue(dimension, group.values[i] ?? null))
    .join(" and ");
  return [
    `The ${safeFigure(name)} ${direction} by ${toDecimalText(size(change))}, from ${toDecimalText(total.before)} to ${toDecimalText(total.now)}.`,
    `${where} changed it by ${toDecimalText(own)}${percent ? ` (${percent}% of the change)` : ""}, everything else by ${toDecimalText(rest)}.`,
  ];
}

const safeFigure = (name: string): string => (problemOfName(name) === undefined ? name : "figure");

function nameValue(dimension: string, value: JsonValue): string {
  const column = problemOfName(dimension) === undefined ? quoteName(dimension) : "One column";
  if (value === null) return `${column} without a value`;
  const text = asText(value);
  return `${column} = ${problemOfName(text) === undefined ? quoteName(text) : "a value that cannot be shown"}`;
}
