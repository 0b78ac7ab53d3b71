// Runs the receiver in a separate process, so that it does not share an event loop with the measured code.
import { startReceiver } from "./receiver.ts";
import { ReceiverRequest } from "./receiver-messages.ts";

const receiver = await startReceiver();
let expected = Number.POSITIVE_INFINITY;

function notifyWhenAllArrived(): void {
  if (receiver.arrivals.length < expected) return;
  expected = Number.POSITIVE_INFINITY;
  process.send?.({ arrived: receiver.arrivals.length });
}

receiver.onArrival(notifyWhenAllArrived);
process.on("message", (message) => {
  const request = ReceiverRequest.parse(message);
  if (request.ask === "url") process.send?.(receiver.url);
  if (request.ask === "take") process.send?.(receiver.arrivals.splice(0));
  if (request.ask === "arrived") {
    expected = request.count;
    notifyWhenAllArrived();
  }
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
