import { testPassword } from "@querybell/testkit";
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { expect } from "vitest";
import { sizes } from "./sizes.ts";

interface VisitOptions {
  /** Who is signed in; nobody if left out. */
  as?: { email: string; password?: string };
  /** The page to open. */
  path?: string;
  /** A screen of 390 pixels instead of 1280. */
  phone?: boolean;
}

let addresses = 0;

/** Browser windows of one test. When it ends, every page that was visited must have been without a fault. */
export function createVisits(browser: Browser, { url }: { url: string }) {
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];

  const visit = async ({ as, path, phone = false }: VisitOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: url,
      viewport: phone ? sizes.phone : sizes.wide,
      // Nothing fades in: what is on the page is there at once.
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      extraHTTPHeaders: { "x-forwarded-for": `192.0.2.${++addresses % 256}` },
    });
    contexts.push(context);
    // Only to end what hangs: a busy machine is no reason to fail.
    context.setDefaultTimeout(120_000);
    if (as) await signInTo(context, url, as);
    const page = await context.newPage();
    reportFaults(page, (fault) => faults.push(fault));
    if (path !== undefined) await page.goto(path);
    return page;
  };

  const end = async () => {
    await Promise.all(contexts.map((context) => context.close()));
    expect(faults).toEqual([]);
  };
  return { visit, end };
}

/** The session's cookie, without the detour over the page for it. */
async function signInTo(
  { request }: BrowserContext,
  url: string,
  { email, password = testPassword }: { email: string; password?: string },
) {
  const data = { email, password };
  const answer = await request.post("/api/auth/sign-in/email", { data, headers: { origin: url } });
  if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}: ${await answer.text()}`);
}

/** Everything that must not happen on any page: an error, a warning, a breach of the security policy or none at all. */
function reportFaults(page: Page, report: (fault: string) => void): void {
  page.on("pageerror", (error) => report(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    // The browser's own note of a refused call, which is the page's to show.
    if (message.text().startsWith("Failed to load resource")) return;
    if (["error", "warning"].includes(message.type())) report(`${page.url()}: ${message.text()}`);
  });
  page.on("response", (response) => {
    const isPage = response.request().isNavigationRequest() && response.status() !== 302;
    if (isPage && !hasStrictPolicy(response)) report(`${response.url()} has a weak content security policy.`);
  });
}

function hasStrictPolicy(response: Response): boolean {
  const policy = response.headers()["content-security-policy"] ?? "";
  const [scripts = ""] = policy.split(/;\s*/).filter((directive) => directive.startsWith("script-src "));
  return scripts === "script-src 'self'" && !policy.includes("unsafe-");
}
