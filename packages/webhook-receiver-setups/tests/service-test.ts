import { updateEndpoint } from "@querybell/core/webhooks";
import { deliveryTest } from "@querybell/worker/testing";

export interface Customer {
  /** The secret of the customer's endpoint, as the service showed it. */
  secret: string;
  /** Points the endpoint at this address, lets an event happen, and waits until the service is done with it. */
  receiveAt(url: string): Promise<{ eventId: string; states: string[] }>;
}

/** A test in which the service itself sends: use cases, a real database, and the pump that its workers run. */
export const serviceTest = deliveryTest.extend("newCustomer", { scope: "file" }, ({ deps, hooks }) => {
  return async (): Promise<Customer> => {
    const owner = await hooks.owner();
    // The secret is known before the program that needs it can run, and so before that program has a port.
    const { id, secret } = await hooks.endpoint(owner, "http://127.0.0.1:9/");
    return {
      secret: secret.secret,
      async receiveAt(url) {
        await updateEndpoint(deps, owner, { id, url });
        const pump = await hooks.pump();
        const eventId = await hooks.emit(owner);
        await pump.drain();
        const deliveries = await hooks.deliveries({ eventId });
        return { eventId, states: deliveries.map(({ state }) => state) };
      },
    };
  };
});
