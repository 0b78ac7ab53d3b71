import { AppError } from "@querybell/domain/app-error";
import { describePosition, positionAt } from "@querybell/domain/text-position";

/** Refuses a placeholder where it stands, with the position that an editor shows. */
export function refuseAt(sql: string, offset: number, sentence: string): never {
  refuseSql("misplaced_placeholder", { sql, offset }, (place) => `At ${place}: ${sentence}`);
}

/** Refuses a statement for what stands at an offset. `say` makes the sentence, given the place in words. */
export function refuseSql(
  code: "invalid_sql" | "multiple_statements" | "misplaced_placeholder" | "statement_too_large",
  { sql, offset }: { sql: string; offset: number },
  say: (place: string) => string,
): never {
  const position = positionAt(sql, offset);
  const sentence = say(describePosition(position));
  throw new AppError(code, sentence, { errors: [{ path: "sql", message: sentence, position }] });
}
