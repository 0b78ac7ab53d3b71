// `pnpm conditions:measure [seed] [series of each kind]`: the figures of docs/conditions.md.
import { measureCauses } from "@querybell/conditions/testing/measure-causes";
import {
  falseIn90Days,
  foundShare,
  type Measured,
  measure,
  sum,
} from "@querybell/conditions/testing/measure-ordinary";

const [seed = 1, perKind = 8] = process.argv.slice(2).map(Number);
const kinds = measure(seed, perKind);
const ruleNames = ["out of the ordinary", "3 sigma", "fixed threshold"] as const;

const cell = (measured: Measured): string =>
  `${(100 * foundShare(measured)).toFixed(0)} % · ${falseIn90Days(measured).toFixed(2)}`;
const row = (title: string, cells: readonly string[]): void =>
  console.log(`| ${[title, ...cells].join(" | ")} |`);

row("kind of series", ruleNames);
row(
  "---",
  ruleNames.map(() => "---"),
);
for (const isHeldOut of [false, true]) {
  const group = [...kinds].filter(([, kind]) => kind.isHeldOut === isHeldOut);
  for (const [name, { byRule }] of group)
    row(
      name,
      ruleNames.map((rule) => cell(byRule[rule])),
    );
  const title = isHeldOut ? "**all that were held out**" : "**all that were used for tuning**";
  row(
    title,
    ruleNames.map((rule) => cell(sum(group.map(([, { byRule }]) => byRule[rule])))),
  );
}

const { first, addsUp, count } = measureCauses(1000, seed);
console.log(`\nwhy tables=${count} cause_first=${first} adds_up=${addsUp}`);
