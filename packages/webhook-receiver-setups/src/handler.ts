// The handler of every program. It says what it does on standard output, a JSON line each, and takes orders by
// the event's id: fail-… fails at first, wait-x waits until release-x is handled, read-… parses the event.
import type { Delivery } from "@querybell/webhook-receiver";

const failed = new Set<string>();
const released = new Set<string>();
const say = (line: Record<string, unknown>) => console.log(JSON.stringify(line));

export async function handler(delivery: Delivery): Promise<void> {
  const { id } = delivery;
  const [, order, subject = ""] = /^(fail|wait|release|read)-(.*)$/.exec(id) ?? [];
  say({ started: id });
  if (order === "fail" && !failed.has(id)) {
    failed.add(id);
    throw new Error("The disk is full.");
  }
  if (order === "release") released.add(subject);
  // Polled: a worker must not wait for a promise that another request resolves.
  while (order === "wait" && !released.has(subject)) await new Promise((resolve) => setTimeout(resolve, 10));
  if (order === "read") delivery.event();
  say({ handled: id, secret: delivery.secretLabel, bytes: delivery.body.length });
}
