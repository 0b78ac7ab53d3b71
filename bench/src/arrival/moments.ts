import { z } from "zod";
import { median } from "../measuring/measuring.ts";

const MomentName = z.enum([
  "request read",
  "end sent",
  "end committed",
  "notice sent",
  "notice received",
  "claim sent",
  "claim answered",
  "webhook sent",
]);
export type MomentName = z.infer<typeof MomentName>;

const Moment = z.object({ name: MomentName, id: z.string().optional(), at: z.number() });
export type Moment = z.infer<typeof Moment>;
export const Moments = z.array(Moment);

export interface TracedCall {
  runId: string;
  eventId: string;
  calledAt: number;
  arrivedAt: number;
}

type Step = "call" | MomentName | "arrival";

/** The steps from a call to the arrival of its webhook, each with what happens before it. */
const steps: { step: Step; wait: string; meaning: string }[] = [
  { step: "request read", wait: "request", meaning: "the caller's socket; the api wakes up" },
  { step: "end sent", wait: "parse", meaning: "body, key, input, the bytes of the event" },
  { step: "end committed", wait: "end", meaning: "one statement: read, function, commit with fsync" },
  { step: "notice sent", wait: "turn of the api", meaning: "the answer is written too" },
  { step: "notice received", wait: "notice", meaning: "NOTIFY without fsync; the worker wakes up" },
  { step: "claim sent", wait: "turn of the pump", meaning: "until its next claim" },
  { step: "claim answered", wait: "claim", meaning: "one statement that writes nothing" },
  { step: "webhook sent", wait: "sign", meaning: "lane, signature, headers" },
  { step: "arrival", wait: "write", meaning: "the receiver's socket; it wakes up" },
];

interface Wait {
  name: string;
  meaning: string;
  /** The median. */
  ms: number;
}

interface Trace {
  waits: Wait[];
  /** Calls whose webhook was not sent because of their notice: a claim for another call, or the poll, found it first. */
  foundEarlier: number;
}

/**
 * The statement that ends a run and the attempt are found by their ids; what has none is the last of its kind before the
 * step that follows it.
 */
function toTimeline(
  { runId, eventId, calledAt, arrivedAt }: TracedCall,
  moments: MomentsByName,
): Record<Step, number> {
  const withId = (name: MomentName, id: string) => moments.get(name)?.find((moment) => moment.id === id)?.at;
  const lastBefore = (name: MomentName, before: number) =>
    moments.get(name)?.findLast(({ at }) => at <= before)?.at ?? Number.NaN;
  const endSent = withId("end sent", runId) ?? Number.NaN;
  const webhookSent = withId("webhook sent", eventId) ?? Number.NaN;
  const claimAnswered = lastBefore("claim answered", webhookSent);
  const claimSent = lastBefore("claim sent", claimAnswered);
  const noticeReceived = lastBefore("notice received", claimSent);
  return {
    call: calledAt,
    "request read": lastBefore("request read", endSent),
    "end sent": endSent,
    "end committed": withId("end committed", runId) ?? Number.NaN,
    "notice sent": lastBefore("notice sent", noticeReceived),
    "notice received": noticeReceived,
    "claim sent": claimSent,
    "claim answered": claimAnswered,
    "webhook sent": webhookSent,
    arrival: arrivedAt,
  };
}

type MomentsByName = Map<MomentName, Moment[]>;

const toWaits = (timeline: Record<Step, number>): number[] => {
  const times = [timeline.call, ...steps.map(({ step }) => timeline[step])];
  return times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
};

/** The median of each wait of these calls. */
export function traceCalls(calls: TracedCall[], moments: Moment[]): Trace {
  const byName: MomentsByName = Map.groupBy(
    moments.toSorted((a, b) => a.at - b.at),
    ({ name }) => name,
  );
  const all = calls.map((call) => toWaits(toTimeline(call, byName)));
  const missing = all.filter((waits) => waits.some((ms) => Number.isNaN(ms))).length;
  if (missing > 0) throw new Error(`Of ${missing} calls, a moment was not noted. Nothing of it counts.`);
  const ordered = all.filter((waits) => waits.every((ms) => ms > 0));
  return {
    waits: steps.map(({ wait, meaning }, index) => ({
      name: wait,
      meaning,
      ms: median(ordered.map((waits) => waits[index] ?? Number.NaN)),
    })),
    foundEarlier: all.length - ordered.length,
  };
}
