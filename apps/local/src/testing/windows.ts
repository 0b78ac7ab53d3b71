import type { Browser, Page } from "playwright-core";

export type Windows = ReturnType<typeof createWindows>;

let addresses = 0;

/**
 * Browser windows for the tests of a file, each with separate cookies and storage. A window is emptied and used again:
 * its process has the app's scripts compiled, so a page loads in less than half of the processor time.
 */
export function createWindows(browser: Browser, { url }: { url: string }) {
  const free: Page[] = [];

  const open = async (): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: url,
      // No animations: elements are visible as soon as they are on the page.
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    // Long, so that only a hanging page exceeds it, not a busy machine.
    context.setDefaultTimeout(120_000);
    return context.newPage();
  };

  const take = async (): Promise<Page> => {
    const page = free.pop() ?? (await open());
    await page.context().setExtraHTTPHeaders({ "x-forwarded-for": `192.0.2.${++addresses % 256}` });
    return page;
  };

  const giveBack = async (page: Page): Promise<void> => {
    try {
      await empty(page, url);
      free.push(page);
    } catch {
      // The test closed it, or its server is gone.
      await page.context().close();
    }
  };

  const close = async () => {
    await Promise.all(free.map((page) => page.context().close()));
  };
  return { url, take, giveBack, close };
}

/** Leaves the page, and removes all that it and the test have left behind. */
async function empty(page: Page, url: string): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  stopListening(page);
  await page.unrouteAll();
  // A page asks before what was typed is lost.
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(`${url}/healthz`);
  stopListening(page);
  await page.evaluate("sessionStorage.clear()");
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: url, storageTypes: "all" });
  await session.detach();
  await context.clearCookies();
}

/** Playwright listens to other events itself. */
const heardByTests = ["console", "dialog", "download", "pageerror", "request", "requestfailed", "response"];

function stopListening(page: Page): void {
  for (const event of heardByTests) page.removeAllListeners(event);
}
