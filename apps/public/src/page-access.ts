import { createHmac, timingSafeEqual } from "node:crypto";
import { verifyPassword } from "@querybell/public-pages";

const accessSeconds = 12 * 60 * 60;
const cookieName = "qb_page";

/** The value of a cookie that opens a page until then. Its key is the stored hash, which no visitor knows. */
function signAccess(passwordHash: string, until: number): string {
  const signature = createHmac("sha256", passwordHash).update(`open until ${until}`).digest("base64url");
  return `${until}.${signature}`;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The cookie for a visitor who knows the password. Another password, and a rotated link, end it. */
export const accessCookie = (
  passwordHash: string,
  { path, isSecure }: { path: string; isSecure: boolean },
): string =>
  [
    `${cookieName}=${signAccess(passwordHash, nowSeconds() + accessSeconds)}`,
    `Path=${path}`,
    `Max-Age=${accessSeconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");

/** Whether the cookies of a request open the page with this hash of its password. */
export function hasAccess(cookies: string | undefined, passwordHash: string): boolean {
  for (const pair of (cookies ?? "").split(";")) {
    const [name, value = ""] = pair.trim().split("=", 2);
    if (name !== cookieName) continue;
    const [, until = ""] = /^(\d{1,12})\./.exec(value) ?? [];
    if (until === "" || Number(until) < nowSeconds()) continue;
    const given = Buffer.from(value);
    const expected = Buffer.from(signAccess(passwordHash, Number(until)));
    if (given.length === expected.length && timingSafeEqual(given, expected)) return true;
  }
  return false;
}

const attemptsPerMinute = 20;
/** Each takes about 20 ms and 19 MiB. */
const maxAtOnce = 2;
const maxPages = 10_000;

type Outcome = "right" | "wrong" | "too many";

/** Checks passwords, at most a few for each page and minute: visitors share the attempts, whatever their address. */
export function createPasswordCheck() {
  const attempts = new Map<string, { count: number; minute: number }>();
  let running = 0;
  return async (page: string, password: string, passwordHash: string): Promise<Outcome> => {
    const minute = Math.floor(performance.now() / 60_000);
    const known = attempts.get(page);
    const count = known?.minute === minute ? known.count : 0;
    if (count >= attemptsPerMinute || running >= maxAtOnce) return "too many";
    attempts.delete(page);
    if (attempts.size >= maxPages) attempts.clear();
    attempts.set(page, { count: count + 1, minute });
    running++;
    try {
      return (await verifyPassword(password, passwordHash)) ? "right" : "wrong";
    } finally {
      running--;
    }
  };
}
