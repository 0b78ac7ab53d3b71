import { AppError } from "@querybell/domain";

/** Refuses a placeholder where it stands, with the position that an editor shows. */
export function refuseAt(sql: string, offset: number, sentence: string): never {
  const position = describePosition(sql, offset);
  throw new AppError("misplaced_placeholder", `At ${position}: ${sentence}`, {
    errors: [{ path: "sql", message: `${position}: ${sentence}` }],
  });
}

export function describePosition(sql: string, offset: number): string {
  const before = sql.slice(0, offset).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
