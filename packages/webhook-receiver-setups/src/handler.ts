// The handler of every program. It reports each step as a JSON line on standard output. The event's id decides what it
// does: fail-… fails the first time, wait-x waits until release-x is handled, read-… parses the event.
import type { Delivery } from "@querybell/webhook-receiver";

const failed = new Set<string>();
const released = new Set<string>();
const report = (line: Record<string, unknown>) => console.log(JSON.stringify(line));

export async function handler(delivery: Delivery): Promise<void> {
  const { id } = delivery;
  const [, action, subject = ""] = /^(fail|wait|release|read)-(.*)$/.exec(id) ?? [];
  report({ started: id });
  if (action === "fail" && !failed.has(id)) {
    failed.add(id);
    throw new Error("The disk is full.");
  }
  if (action === "release") released.add(subject);
  // Polled, because in workerd a request must not wait for a promise that another request resolves.
  while (action === "wait" && !released.has(subject)) await new Promise((resolve) => setTimeout(resolve, 10));
  if (action === "read") delivery.event();
  report({ handled: id, secret: delivery.secretLabel, bytes: delivery.body.length });
}
