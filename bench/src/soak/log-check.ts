import { z } from "zod";
import { parseJson } from "./parse-json.ts";

const errorLevel = 50;
const LogLine = z.object({
  level: z.number(),
  app: z.string(),
  msg: z.string().default(""),
  err: z.object({ type: z.string(), message: z.string(), code: z.string().optional() }).optional(),
});

/** Errors that the disturbances cause: connections that break, a server that is gone or whose disk is full. */
const expected =
  /ECONNREFUSED|ECONNRESET|EPIPE|ENOSPC|\b57P0\d|\b53100|\b08\d{3}|\bP10(01|17)\b|ConnectionClosed|Client was closed|is shutting down|is starting up|could not access status of transaction|Connection terminated|connection error|terminating connection|accepting connections|connection timeout|No space left|no room left|disk is full|does not answer|An engine host ended/i;

/** better-auth logs these without their cause, which it writes to the standard error. */
const ofBetterAuth = /Failed to (query fallback join|get session)/;

/** A line of a stack trace, or of the fields of an error. */
const continuation = /^(\s|}$)/;

/** Collects what no disturbance explains: log lines of the level error, and errors on the standard error. */
export function createLogCheck() {
  const unexplained = new Map<string, number>();
  let expectedLines = 0;
  let isExpectedError = false;
  const add = (line: string) => unexplained.set(line, (unexplained.get(line) ?? 0) + 1);
  return {
    onLine(line: string): void {
      const { data } = LogLine.safeParse(parseJson(line));
      if (data === undefined) {
        add(`not a log line: ${line}`);
      } else if (data.level >= errorLevel) {
        const { app, msg, err } = data;
        const text = `${app}: ${msg}${err ? ` (${err.type} ${err.code ?? ""} ${err.message})` : ""}`;
        if (expected.test(text) || ofBetterAuth.test(text)) expectedLines++;
        else add(`in the log: ${text}`);
      }
    },
    onErrorLine(line: string): void {
      if (!continuation.test(line)) isExpectedError = expected.test(line);
      if (isExpectedError) expectedLines++;
      else add(`on the standard error: ${line}`);
    },
    expectedLines: () => expectedLines,
    problems: () => [...unexplained].map(([text, count]) => `${count} times ${text}`),
  };
}
