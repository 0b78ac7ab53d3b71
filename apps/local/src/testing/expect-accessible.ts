import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sizes } from "./pages.ts";

const axeScript = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

// Describing each element that passed takes longer than checking it. The one rule that loads files is about sound.
const options = JSON.stringify({ resultTypes: ["violations"], preload: false });

/** Each colour scheme and each size once: a scheme has the same colours at both sizes. */
const looks = [
  { colorScheme: "light", size: sizes.wide },
  { colorScheme: "dark", size: sizes.phone },
] as const;

/**
 * Checks the page in its current state, open dialogs and menus included: no violation of axe's rules, in the light
 * scheme on a wide screen and in the dark one on a phone, and no horizontal scrolling.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const { colorScheme, size } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    // The app applies the system's scheme in an effect. Pages without scripts apply it at once.
    const follows = `html:not([data-mantine-color-scheme]), html[data-mantine-color-scheme="${colorScheme}"]`;
    await page.locator(follows).waitFor({ state: "attached" });
    expect(await findViolations(page), `${page.url()}, ${colorScheme}, ${size.width} pixels wide`).toEqual(
      [],
    );
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(size.width);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}

/** The violations of axe's rules. The script stays in the page until it is loaded anew. */
async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeScript);
  // During a transition a colour is one that nobody reads: axe would check its contrast.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))`);
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html + "\\n" + failureSummary)))`);
}
