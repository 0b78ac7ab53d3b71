import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sizes } from "./sizes.ts";

const colorRules = ["color-contrast", "link-in-text-block"];

/**
 * Holds the page as it is now to axe's rules, in both colour schemes and at both sizes, and to fit a phone without
 * scrolling sideways. Dialogs and menus that are open count too.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // The app follows the system's scheme in an effect; pages without scripts follow at once.
      const follows = `html:not([data-mantine-color-scheme]), html[data-mantine-color-scheme="${colorScheme}"]`;
      await page.locator(follows).waitFor({ state: "attached" });
      // Legacy mode needs no second page, and there are no frames to look into.
      const axe = new AxeBuilder({ page }).setLegacyMode();
      // Only colours differ between the schemes: everything else has been looked at in the light.
      if (colorScheme === "dark") axe.withRules(colorRules);
      const { violations } = await axe.analyze();
      const found = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
      expect(found, `${page.url()}, ${name}, ${colorScheme}`).toEqual([]);
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(size.width);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}
