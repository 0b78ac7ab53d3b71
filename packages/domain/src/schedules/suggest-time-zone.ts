const lastPart = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** The name of a zone that looks most like this one, if one does: for "Prague" or "Europe/Pragu". */
export function suggestTimeZone(name: string): string | undefined {
  const wanted = name.trim().toLowerCase().replaceAll(/\s+/g, "_").slice(0, 100);
  const farthest = Math.floor(wanted.length / 3);
  // Texts whose lengths differ by more are farther apart than that: most zones need no counting.
  const distanceOf = (one: string, other: string): number =>
    Math.abs(one.length - other.length) > farthest ? Infinity : editDistance(one, other);
  let nearest: { zone: string; distance: number } | undefined;
  for (const zone of ["UTC", ...Intl.supportedValuesOf("timeZone")]) {
    const full = zone.toLowerCase();
    const distance = Math.min(
      distanceOf(wanted, full),
      distanceOf(lastPart(wanted), lastPart(full)) + (wanted.includes("/") ? 1 : 0),
    );
    if (distance <= farthest && distance < (nearest?.distance ?? Infinity)) nearest = { zone, distance };
  }
  return nearest?.zone;
}

/** How many letters to add, remove or replace to make one text the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [i, letter] of [...one].entries()) {
    const below = [i + 1];
    for (const [j, otherLetter] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter === otherLetter ? 0 : 1);
      below.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (below[j] ?? 0) + 1));
    }
    row = below;
  }
  return row.at(-1) ?? 0;
}
