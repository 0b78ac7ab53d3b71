const pairs = [
  ["from", "until"],
  ["from", "to"],
  ["since", "until"],
  ["since", "to"],
  ["start", "end"],
  ["begin", "end"],
  ["first", "last"],
  ["after", "before"],
  ["min", "max"],
] as const;

/** The two dates of a range that this parameter is one of, if another is named like its start or its end. */
export function suggestRange(
  name: string,
  others: readonly string[],
): { start: string; end: string } | undefined {
  const find = (word: string, partner: string) => {
    const wanted = name.toLowerCase().replace(word, partner);
    return name.toLowerCase().includes(word)
      ? others.find((other) => other.toLowerCase() === wanted)
      : undefined;
  };
  for (const [start, end] of pairs) {
    const later = find(start, end);
    if (later !== undefined) return { start: name, end: later };
    const earlier = find(end, start);
    if (earlier !== undefined) return { start: earlier, end: name };
  }
  return undefined;
}
