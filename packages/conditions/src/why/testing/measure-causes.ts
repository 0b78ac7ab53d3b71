import { add, parseDecimal, toDecimalText, zero } from "@querybell/summaries/decimals";
import { explainChange } from "../explain-change.ts";
import { makeUpChange } from "./made-up-causes.ts";

/** How often the planted cause is named first, and how often the contributions add up exactly to the change. */
export function measureCauses(
  count: number,
  firstSeed = 1,
): { first: number; addsUp: number; count: number } {
  let [first, addsUp] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { before, now, figure, cause } = makeUpChange(seed);
    const explanation = explainChange(now, before, figure);
    if ("problem" in explanation) continue;
    const [named] = explanation.contributions;
    const isFirst =
      JSON.stringify([explanation.dimensions, named?.values]) ===
      JSON.stringify([cause.dimensions, cause.values]);
    if (isFirst) first++;
    const changes = explanation.contributions.map(({ change }) => parseDecimal(change) ?? zero);
    if (toDecimalText(changes.reduce(add, zero)) === explanation.change) addsUp++;
  }
  return { first, addsUp, count };
}
