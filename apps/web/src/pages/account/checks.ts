import { buildFacts } from "../../app/build-facts.ts";

// What forms check by themselves, in the words that stand below the field. Undefined: nothing is wrong.

export const needed =
  (label: string) =>
  (value: string): string | undefined =>
    value.trim() === "" ? `${label} is needed.` : undefined;

export const emailAddress = (value: string): string | undefined =>
  needed("Email address")(value) ??
  (/^[^\s@]+@\S+$/.test(value.trim()) ? undefined : "Give an email address, like ada@example.com.");

export const newPassword = (value: string): string | undefined => {
  if (value === "") return "Password is needed.";
  const { shortestPassword, longestPassword } = buildFacts;
  if (value.length < shortestPassword) return `Use at least ${shortestPassword} characters.`;
  return value.length > longestPassword ? `Use at most ${longestPassword} characters.` : undefined;
};

export const newPasswordHint = `At least ${buildFacts.shortestPassword} characters. A few words you will remember make a good one.`;
