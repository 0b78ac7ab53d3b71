import { styleText } from "node:util";
import { z } from "zod";

const colors = { web: "cyan", api: "blue", worker: "magenta" } as const;
export type AppName = keyof typeof colors;

/** Prints lines with the name of the process that they are about. */
export function printFrom(app: AppName, text: string): void {
  const name = styleText(colors[app], app.padEnd(6));
  for (const line of text.split("\n")) console.log(`${name} ${line}`);
}

const LogLine = z.object({
  level: z.number(),
  msg: z.string().default(""),
  err: z.object({ stack: z.string() }).optional(),
});

const warn = 40;
const error = 50;

/** What the terminal shows of a line of output: warnings and errors of the log, and everything that is no log line. */
export function toShownText(line: string): string | undefined {
  if (isOfInspector(line)) return undefined;
  const entry = parseLogLine(line);
  if (!entry) return line;
  const { level, msg, err } = entry;
  if (level < warn) return undefined;
  const name = level < error ? styleText("yellow", "warning") : styleText("red", "error");
  return `${name} ${[msg, err?.stack].filter(Boolean).join("\n")}`;
}

/** Node says at every start where its inspector listens. */
const isOfInspector = (line: string): boolean =>
  line.startsWith("Debugger ") || line.startsWith("For help, see: https://nodejs.org/");

function parseLogLine(line: string): z.infer<typeof LogLine> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return LogLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
