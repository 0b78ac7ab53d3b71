import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sizes } from "./pages.ts";

const axeScript = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const colorRules = ["color-contrast", "link-in-text-block"];

/**
 * Checks the page in its current state, open dialogs and menus included: no violation of axe's rules in either colour
 * scheme at either size, and no horizontal scrolling on a phone.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // The app applies the system's scheme in an effect. Pages without scripts apply it at once.
      const follows = `html:not([data-mantine-color-scheme]), html[data-mantine-color-scheme="${colorScheme}"]`;
      await page.locator(follows).waitFor({ state: "attached" });
      // The schemes differ only in colours, so all other rules were checked in the light scheme.
      const rules = colorScheme === "dark" ? colorRules : undefined;
      expect(await findViolations(page, rules), `${page.url()}, ${name}, ${colorScheme}`).toEqual([]);
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(size.width);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}

/** The violations of axe's rules, or of some of them. The script stays in the page until it is loaded anew. */
async function findViolations(page: Page, rules: string[] | undefined): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeScript);
  // During a transition a colour is one that nobody reads: axe would check its contrast.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))`);
  // Describing each element that passed takes longer than checking it.
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html + "\\n" + failureSummary)))`);
}
