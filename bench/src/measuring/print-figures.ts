import { benches } from "../suite/catalogue.ts";

/**
 * Prints the last line of a bench, `name key=value …`. Throws if a value cannot be: not a number, infinite, negative, or
 * zero where zero means that nothing was measured. Leaves out what was not asked for, which is undefined.
 */
export function printFigures(name: string, values: Record<string, string | undefined>): void {
  const figures = benches.find((bench) => bench.name === name)?.figures ?? [];
  const shown = Object.entries(values).flatMap(([key, text]) => {
    if (text === undefined) return [];
    const value = Number(text);
    const canBeZero = figures.some((figure) => figure.key === key && figure.canBeZero);
    if (!Number.isFinite(value) || value < 0 || (value === 0 && !canBeZero)) {
      throw new Error(`The bench ${name} measured ${key}=${text}, which cannot be. Nothing of it counts.`);
    }
    return [`${key}=${text}`];
  });
  console.log(`${name} ${shown.join(" ")}`);
}
