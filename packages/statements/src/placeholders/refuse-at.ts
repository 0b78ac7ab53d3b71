import { AppError } from "@querybell/domain/app-error";
import { describePosition, positionAt } from "@querybell/domain/text-position";

/** Refuses a placeholder, with its position for the editor. */
export function refuseAt(sql: string, offset: number, sentence: string): never {
  refuseSql("misplaced_placeholder", { sql, offset }, (place) => `At ${place}: ${sentence}`);
}

/** Refuses a statement because of its text at an offset. `say` writes the message, given the position in words. */
export function refuseSql(
  code: "invalid_sql" | "multiple_statements" | "misplaced_placeholder" | "statement_too_large",
  { sql, offset }: { sql: string; offset: number },
  say: (place: string) => string,
): never {
  const position = positionAt(sql, offset);
  const sentence = say(describePosition(position));
  throw new AppError(code, sentence, { errors: [{ path: "sql", message: sentence, position }] });
}
