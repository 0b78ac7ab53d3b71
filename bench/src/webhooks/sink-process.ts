// A sink in a process of its own, so that what is measured does not share its event loop.
import { startSink } from "./sink.ts";
import { SinkQuestion } from "./sink-questions.ts";

const sink = await startSink();
let expected = Number.POSITIVE_INFINITY;

function tellWhenAllCame(): void {
  if (sink.arrivals.length < expected) return;
  expected = Number.POSITIVE_INFINITY;
  process.send?.({ arrived: sink.arrivals.length });
}

sink.onArrival(tellWhenAllCame);
process.on("message", (message) => {
  const question = SinkQuestion.parse(message);
  if (question.ask === "url") process.send?.(sink.url);
  if (question.ask === "take") process.send?.(sink.arrivals.splice(0));
  if (question.ask === "arrived") {
    expected = question.count;
    tellWhenAllCame();
  }
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
