import { type Caller, CreateWebhookEndpoint } from "@querybell/domain";
import { createDeliveryTools } from "@querybell/webhooks/testing";
import { createEndpoint } from "../webhooks/index.ts";
import { dbTest } from "./db-test.ts";

export { answer, standIn } from "@querybell/webhooks/testing";

/** A test with use cases on a database, customers' servers on loopback, and pumps that the test starts. */
export const deliveryTest = dbTest.extend(
  "hooks",
  { scope: "file" },
  async ({ deps, make, clock: testClock }) => {
    // From now on the database's clock stands still too.
    await testClock.advance(0);

    const owner = async () => {
      const caller = await make.owner();
      await deps.db.prisma.organization.update({
        where: { id: caller.organizationId },
        data: { webhooksEnabled: true },
      });
      return caller;
    };

    const endpoint = (caller: Caller, url: string, settings: Partial<CreateWebhookEndpoint> = {}) =>
      createEndpoint(
        deps,
        caller,
        CreateWebhookEndpoint.parse({
          url,
          eventTypes: ["automation.run.completed", "automation.run.failed"],
          ...settings,
        }),
      );

    return { ...createDeliveryTools(deps), owner, endpoint };
  },
);
