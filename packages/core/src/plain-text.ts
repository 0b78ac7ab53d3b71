import { replaceInvisible, replaceInvisibleInLines } from "@querybell/domain";

/** Text of a user for a model. Invisible characters could carry instructions that no member has seen. */
export const toPlain = (text: string, maxLength: number): string =>
  replaceInvisible(text.slice(0, maxLength));

/** The same for SQL and other text whose line breaks mean something. */
export const toPlainLines = (text: string, maxLength: number): string =>
  replaceInvisibleInLines(text.slice(0, maxLength));
