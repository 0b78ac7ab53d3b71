// Fails if a regular expression of the product can take more than linear time, because users' text may reach any of them.
// The analysis finds exponential backtracking (`(a+)+`), adjacent quantifiers that can match the same characters
// (`\s*\s*`), and patterns that are retried at every position (`0+$`).
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CallExpression, type NewExpression, parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";

const repository = resolve(import.meta.dirname, "..");

/** Exempt: patterns that are copies of a literal with other flags. */
const knownCopies = new Set([
  'packages/statements/src/placeholders/tokenizer.ts: new RegExp(placeholderPattern, "g")',
  'packages/statements/src/placeholders/tokenizer.ts: new RegExp(placeholderPattern, "y")',
]);

const isTestOrGenerated = (path: string) => /\.test\.tsx?$|(?:^|\/)(?:testing|generated)(?:\/|$)/.test(path);

const problems = globSync("{apps/*,examples/*,packages/*,prisma}/src/**/*.{ts,tsx,mts}", {
  cwd: repository,
  exclude: isTestOrGenerated,
}).flatMap(checkFile);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

function checkFile(file: string): string[] {
  const text = readFileSync(resolve(repository, file), "utf8");
  const found: string[] = [];
  const checkConstructor = ({ callee, start, end }: CallExpression | NewExpression) => {
    if (callee.type !== "Identifier" || callee.name !== "RegExp") return;
    const call = `${file}: ${text.slice(start, end)}`;
    if (!knownCopies.has(call)) found.push(`${call} cannot be checked. Write it as a literal.`);
  };
  const visitor = new Visitor({
    Literal(node) {
      if ("regex" in node) found.push(...checkPattern(file, node.regex.pattern, node.regex.flags));
    },
    NewExpression: checkConstructor,
    CallExpression: checkConstructor,
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

function checkPattern(file: string, source: string, flags: string): string[] {
  const { reports } = analyse({ source, flags }, { assumeRejectingSuffix: false });
  return reports.map(
    ({ character, exponential }) =>
      `${file}: /${source}/${flags} takes ${exponential ? "exponential" : "more than linear"} time on many of ${JSON.stringify(character.pick)}. Write it so that a match can begin and end in one place only.`,
  );
}
