interface Misspelled {
  name: string;
  meant: string;
}

/** Shorter names, such as HOST and PORT, are near to variables of other programs. */
const minLength = 8;
const maxEdits = (name: string): number => Math.min(3, Math.floor(name.length / 6));

/**
 * Variables that are probably misspelled settings: another case, or a few other characters, and the setting that was meant
 * is not set. The environment has variables of other programs too, so every other unknown name is left alone.
 */
export function findMisspelled(
  environment: Record<string, string | undefined>,
  settings: readonly string[],
): Misspelled[] {
  const candidates = settings.filter((name) => name.length >= minLength && !environment[name]);
  return Object.keys(environment).flatMap((name) => {
    if (!environment[name] || settings.includes(name)) return [];
    const meant = candidates.find((candidate) => isNear(name.toUpperCase(), candidate));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isNear(name: string, setting: string): boolean {
  const limit = maxEdits(setting);
  return Math.abs(name.length - setting.length) <= limit && countEdits(name, setting) <= limit;
}

/** How many characters are to be added, removed, replaced or exchanged with the next one. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isExchanged = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
