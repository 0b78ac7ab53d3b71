/**
 * Whether the SQL compares with a placeholder by `<`: `ordered_at < {{until}}`. The end of a date range is then the day
 * after its last.
 */
export function comparesBelow(sql: string, name: string): boolean {
  const pieces = sql.split("{{");
  return pieces.some((piece, at) => {
    const [placeholder = ""] = piece.split("}}", 1);
    return at > 0 && placeholder.trim() === name && pieces[at - 1]?.trimEnd().endsWith("<") === true;
  });
}
