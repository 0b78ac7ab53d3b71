const dayMs = 86_400_000;

/** When a link expires, in days from now. */
export const expiries = [
  { value: "30", label: "In 30 days" },
  { value: "7", label: "In 7 days" },
  { value: "365", label: "In a year" },
  { value: "never", label: "Never" },
];

export const toExpiry = (expiry: string): string | null =>
  expiry === "never" ? null : new Date(Date.now() + Number(expiry) * dayMs).toISOString();

/** Null if the text can be the password of a link. */
export const passwordProblem = (text: string): string | null =>
  text.length < 8 ? "Use at least 8 characters." : null;
