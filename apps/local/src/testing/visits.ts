import { testPassword } from "@querybell/core/testing";
import type { BrowserContext, Page, Response } from "playwright-core";
import { expect } from "vitest";
import { sizes } from "./pages.ts";
import type { Windows } from "./windows.ts";

interface VisitOptions {
  /** Who is signed in. Default: nobody. */
  as?: { email: string; password?: string };
  /** The page to open. */
  path?: string;
  /** Whether the screen is 390 pixels wide instead of 1280. */
  phone?: boolean;
  /** Whether every message in the console is a fault, also that a request failed. */
  silent?: boolean;
}

/** The browser windows of one test. At its end, no visited page may have had a fault. */
export function createVisits(windows: Windows) {
  const pages: Page[] = [];
  const faults: string[] = [];

  const visit = async ({ as, path, phone = false, silent = false }: VisitOptions = {}): Promise<Page> => {
    const page = await windows.take();
    pages.push(page);
    await page.setViewportSize(phone ? sizes.phone : sizes.wide);
    if (as) await signInTo(page.context(), windows.url, as);
    reportFaults(page, silent, (fault) => faults.push(fault));
    if (path !== undefined) await page.goto(path);
    return page;
  };

  const end = async () => {
    await Promise.all(pages.map((page) => windows.giveBack(page)));
    expect(faults).toEqual([]);
  };
  return { visit, end };
}

/** Signs in through the API instead of the sign-in page. */
async function signInTo(
  { request }: BrowserContext,
  url: string,
  { email, password = testPassword }: { email: string; password?: string },
) {
  const data = { email, password };
  const answer = await request.post("/api/auth/sign-in/email", { data, headers: { origin: url } });
  if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}: ${await answer.text()}`);
}

/** Collects faults of a page: an error, a warning, a violation of the content security policy, or a missing policy. */
function reportFaults(page: Page, silent: boolean, report: (fault: string) => void): void {
  page.on("pageerror", (error) => report(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    const { url } = message.location();
    if (silent) return report(`${page.url()}: ${message.type()}: ${message.text()} ${url}`);
    // The browser logs each failed request. The page shows those errors itself.
    if (message.text().startsWith("Failed to load resource")) return;
    if (["error", "warning"].includes(message.type())) report(`${page.url()}: ${message.text()}`);
  });
  page.on("response", (response) => {
    const isRedirect = response.status() >= 300 && response.status() < 400;
    const isPage = response.request().isNavigationRequest() && !isRedirect;
    if (isPage && !hasStrictPolicy(response)) report(`${response.url()} has a weak content security policy.`);
  });
}

function hasStrictPolicy(response: Response): boolean {
  const policy = response.headers()["content-security-policy"] ?? "";
  const [scripts = ""] = policy.split(/;\s*/).filter((directive) => directive.startsWith("script-src "));
  // Public pages have no scripts at all.
  const hasNone = scripts === "" && policy.startsWith("default-src 'none'; ");
  return (hasNone || scripts === "script-src 'self'") && !policy.includes("unsafe-");
}
