/** Readers find columns by name: repeated names get a number. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  // Counting from 1 again for each repetition would take seconds for 10,000 equal names.
  const nextNumbers = new Map<string, number>();
  return names.map((given) => {
    const name = given || "column";
    let unique = name;
    let number = nextNumbers.get(name) ?? 1;
    for (; used.has(unique); number++) unique = `${name}_${number}`;
    nextNumbers.set(name, number);
    used.add(unique);
    return unique;
  });
}
