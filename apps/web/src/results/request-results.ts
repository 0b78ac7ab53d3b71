// Requests several results at once. It imports nothing of the app: the results of a dashboard are requested before the app
// itself has loaded, and few of them are read at once, without the worker.

import { type ResultOfRun, readResultBody, readResults, unzippedBytes } from "./read-results.ts";

export type AnsweredResults =
  | { kind: "read"; results: readonly ResultOfRun[] }
  /** Too much to be read without delaying a frame. */
  | { kind: "unread"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "failed"; message: string }
  | { kind: "unanswered" };

/** Unzipped. They are read in a few milliseconds. */
const fewBytes = 256 * 1024;

export async function requestResults(url: string): Promise<AnsweredResults> {
  const answer = await fetch(url, { credentials: "same-origin" }).catch(() => undefined);
  if (!answer) return { kind: "unanswered" };
  try {
    if (!answer.ok) await readResultBody(answer);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (unzippedBytes(bytes) > fewBytes) return { kind: "unread", bytes };
    return { kind: "read", results: await readResults(bytes) };
  } catch (error) {
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

interface EarlyRequest {
  url: string;
  answer: Promise<AnsweredResults>;
  /** The answer, once it is there. */
  arrived: AnsweredResults | undefined;
}

let early: EarlyRequest | undefined;

/** Requests the results that the page will show, while the page itself is still loading. */
export function requestEarly(url: string): void {
  const request: EarlyRequest = { url, answer: requestResults(url), arrived: undefined };
  early = request;
  void request.answer.then((answer) => {
    request.arrived = answer;
  });
}

/** Resolves once what was requested early is there, or is not there after so long. */
export const earlyAnswer = async (mostMs: number): Promise<void> =>
  void (early && (await Promise.race([early.answer, new Promise((done) => setTimeout(done, mostMs))])));

/** What was requested early, if it was exactly this. */
export const findEarly = (url: string): EarlyRequest | undefined => (early?.url === url ? early : undefined);

/** The same, for the one who shows it: what is asked for again is requested again. */
export function takeEarly(url: string): EarlyRequest | undefined {
  const found = findEarly(url);
  early = undefined;
  return found;
}
