import { fitText, textWidth } from "./text-width.ts";

/**
 * Names that all fit into the same room. Those that are too long are cut at their end, or within, if they would look the
 * same otherwise: "Customers of the north, retail" and "Customers of the north, wholesale".
 */
export function fitNames(names: readonly string[], room: number, size: number): string[] {
  const cutAtEnd = names.map((name) => fitText(name, room, size));
  if (alike(names, cutAtEnd).length === 0) return cutAtEnd;
  const cutWithin = names.map((name) => fitEnds(name, room, size));
  for (const group of alike(names, cutWithin)) {
    for (const [name, text] of cutAtDifference(group, room, size)) {
      names.forEach((other, index) => {
        if (other === name) cutWithin[index] = text;
      });
    }
  }
  return cutWithin;
}

/** Different names that have the same text. */
function alike(names: readonly string[], texts: readonly string[]): string[][] {
  const byText = Map.groupBy(new Set(names), (name) => texts[names.indexOf(name)]);
  return [...byText.values()].filter((group) => group.length > 1);
}

/** Beginning and end of a name. */
function fitEnds(name: string, room: number, size: number): string {
  if (textWidth(name, size) <= room) return name;
  const letters = [...name];
  const cut = (kept: number): string => {
    const head = letters
      .slice(0, Math.ceil(kept / 2))
      .join("")
      .trimEnd();
    const tail = letters
      .slice(letters.length - Math.floor(kept / 2))
      .join("")
      .trimStart();
    return `${head}…${tail}`;
  };
  let [low, high] = [0, letters.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(cut(middle), size) <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** How many letters stand before the first difference. */
const lettersBefore = 3;

/** Names with the same beginning and end: a part of the beginning, and what follows where they differ. */
function cutAtDifference(group: readonly string[], room: number, size: number): Map<string, string> {
  const letters = group.map((name) => [...name]);
  const [first = []] = letters;
  const common = first.findIndex((letter, index) => letters.some((other) => other[index] !== letter));
  const from = Math.max(0, (common === -1 ? first.length : common) - lettersBefore);
  const start = fitText(first.slice(0, from).join(""), room / 3, size);
  const joined = start === "" || start.endsWith("…") ? start : `${start}…`;
  const texts = letters.map((own) => fitText(`${joined}${own.slice(from).join("")}`, room, size));
  const cut = new Map(group.map((name, index) => [name, texts[index] ?? name]));
  for (const others of alike(group, texts)) {
    // Fewer names have more in common.
    if (others.length === group.length) continue;
    for (const [name, text] of cutAtDifference(others, room, size)) cut.set(name, text);
  }
  return cut;
}
