import { z } from "zod";
import { Id } from "./ids.ts";
import { Moment, Timestamp } from "./time.ts";

/** A session of the signed-in person. */
export const SessionEntry = z.object({
  id: Id,
  isCurrent: z.boolean().describe("Whether this call was made with it"),
  program: z
    .string()
    .describe("The browser and the system, such as `Firefox on Linux`, as the program names itself"),
  address: z.string().nullable().describe("The IP address of the last use"),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.describe("Accurate to a minute"),
});
export type SessionEntry = z.infer<typeof SessionEntry>;

export const EndSession = z.strictObject({ id: Id });
export type EndSession = z.infer<typeof EndSession>;

/** Failed attempts to sign in that the person has not dismissed yet. */
export const FailedSignIns = z.object({
  count: z.int(),
  firstAt: Timestamp,
  lastAt: Timestamp,
  lastProgram: z.string(),
  lastAddress: z.string().nullable(),
  hasSecondFactor: z.boolean().describe("Whether the person has one already"),
});
export type FailedSignIns = z.infer<typeof FailedSignIns>;

/** `lastAt` of the notice that is dismissed, so that later attempts are still shown. */
export const DismissFailedSignIns = z.strictObject({ lastAt: Moment });
export type DismissFailedSignIns = z.infer<typeof DismissFailedSignIns>;

export const SignInWithPassword = z.object({
  email: z.email({ error: "must be an email address" }).max(254).toLowerCase(),
  password: z.string().max(128, "must have at most 128 characters"),
});
export type SignInWithPassword = z.infer<typeof SignInWithPassword>;

const browsers: [mark: RegExp, name: string][] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\bHeadlessChrome\//, "Chrome (headless)"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];

const systems: [mark: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** The browser and system that a program names in its header User-Agent. Anybody can send any text there. */
export function describeProgram(userAgent: string | null): string {
  if (!userAgent) return "Unknown program";
  const named = (list: [RegExp, string][]) => list.find(([mark]) => mark.test(userAgent))?.[1];
  const browser = named(browsers) ?? "Unknown program";
  const system = named(systems);
  return system ? `${browser} on ${system}` : browser;
}
