import { deliveryTest } from "@querybell/core/testing/delivery-test";
import { updateEndpoint } from "@querybell/core/webhooks";

export interface Customer {
  /** The secret of the customer's endpoint, as the service showed it. */
  secret: string;
  /** Sets the endpoint's URL, emits an event, and waits until its deliveries have ended. */
  receiveAt(url: string): Promise<{ eventId: string; states: string[] }>;
}

/** A test in which the service itself sends: use cases, a real database, and the pump that its workers run. */
export const serviceTest = deliveryTest.extend("newCustomer", { scope: "file" }, ({ deps, hooks }) => {
  return async (): Promise<Customer> => {
    const owner = await hooks.owner();
    // The endpoint is created first, because the program needs its secret to start. The program's URL is set later.
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
