import { cutText, replaceInvisible } from "@querybell/domain";

interface ReadAnswer {
  /** What the model says about the statement. */
  text: string;
  sql: string | null;
}

const fence = "```";
const maxTextLength = 20_000;

/** Splits an answer into its text and its first block of SQL. Invisible characters could hide what a statement does. */
export function readAnswer(answer: string): ReadAnswer {
  const opening = answer.indexOf(fence);
  if (opening === -1) return { text: clean(answer), sql: null };
  const afterFence = opening + fence.length;
  const lineEnd = answer.indexOf("\n", afterFence);
  const begin = lineEnd === -1 ? afterFence : lineEnd + 1;
  const closing = answer.indexOf(fence, begin);
  const end = closing === -1 ? answer.length : closing;
  const sql = clean(answer.slice(begin, end));
  const after = closing === -1 ? "" : answer.slice(closing + fence.length);
  const text = [answer.slice(0, opening), after].map((part) => part.trim()).filter((part) => part !== "");
  return { text: clean(text.join("\n\n")), sql: sql === "" ? null : sql };
}

const clean = (text: string): string =>
  cutText(text, maxTextLength)
    .split("\n")
    .map((line) => replaceInvisible(line.replaceAll("\t", "  ")).trimEnd())
    .join("\n")
    .trim();
