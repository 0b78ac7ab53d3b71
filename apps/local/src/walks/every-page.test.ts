import { describe, inject } from "vitest";
import { demoWalk } from "../testing/demo-walk.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { listAddresses, openPage, publicPages, readPages } from "../testing/pages.ts";

/**
 * Every page of the router, also one that is added later: no violation of axe's rules in either colour scheme at either
 * size, no error or warning in the console, and no weak content security policy.
 */
describe("every page", () => {
  for (const address of readPages(inject("webFolder"))) {
    demoWalk(address, async ({ visit, demo }) => {
      const page = await visit(publicPages.includes(address) ? {} : { as: demo });
      for (const path of await listAddresses(page.request, address, { most: 1 })) {
        await openPage(page, path);
        await expectAccessible(page);
      }
    });
  }
});
