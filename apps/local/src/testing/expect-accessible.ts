import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sizes } from "./sizes.ts";

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
      // Legacy mode opens no second page. It cannot check frames, and the app has none.
      const axe = new AxeBuilder({ page }).setLegacyMode();
      // Describing each element that passed takes longer than checking it.
      axe.options({ resultTypes: ["violations"] });
      // The schemes differ only in colours, so all other rules were checked in the light scheme.
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
