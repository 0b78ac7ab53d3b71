import { describe, inject } from "vitest";
import { demoWalk } from "../testing/demo-walk.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { listAddresses, openPage, publicPages, readPages } from "../testing/pages.ts";
import { createVisits } from "../testing/visits.ts";

/** One window for all pages, so that the browser loads and compiles what they share once. */
const pageTest = demoWalk.extend(
  "signedIn",
  { scope: "file" },
  async ({ browser, api, demo }, { onCleanup }) => {
    const visits = createVisits(browser, api);
    onCleanup(visits.end);
    return visits.visit({ as: demo });
  },
);

/**
 * Every page of the router, also one that is added later: no violation of axe's rules in either colour scheme at either
 * size, no error or warning in the console, and no weak content security policy.
 */
describe("every page", () => {
  for (const address of readPages(inject("webFolder"))) {
    pageTest(address, async ({ visit, signedIn }) => {
      const page = publicPages.includes(address) ? await visit() : signedIn;
      for (const path of await listAddresses(page.request, address, { most: 1 })) {
        await openPage(page, path);
        await expectAccessible(page);
      }
    });
  }
});
