import { buildFacts } from "./build-facts.ts";
import { type Field, field } from "./field.ts";

export const emailField = (): Field =>
  field({ name: "email", label: "Email address", type: "email", autocomplete: "username" });

export const passwordField = (): Field =>
  field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" });

export const newPasswordField = (label: string): Field =>
  field({
    name: "new-password",
    label,
    type: "password",
    autocomplete: "new-password",
    hint: `At least ${buildFacts.shortestPassword} characters. A few words you will remember make a good one.`,
    shortest: buildFacts.shortestPassword,
    longest: buildFacts.longestPassword,
  });
