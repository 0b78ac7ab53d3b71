import { FalseAlarms } from "@querybell/domain/conditions";
import { parseJsonLine } from "@querybell/domain/json-lines";
import { isTimeZone } from "@querybell/domain/time-zone";
import { z } from "zod";
import { judgeSeries } from "./judge-series.ts";

const Time = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true, local: true }),
  z.int().describe("Milliseconds since 1970"),
]);
const Value = z.union([z.number(), z.null(), z.string().regex(/^-?\d+(?:\.\d+)?$/, "must be a number")]);
const Point = z.union([z.tuple([Time, Value]), z.object({ at: Time, value: Value })]);

const Line = z.object({
  name: z.string().max(500).optional(),
  points: z.array(Point).min(1).max(200_000),
  timeZone: z.string().refine(isTimeZone, "must be the name of a time zone").default("UTC"),
  falseAlarms: FalseAlarms.default("one_in_three_months"),
  direction: z.enum(["both", "above", "below"]).default("both"),
});

/** When it would have spoken of one series. */
interface TriedLine {
  name?: string | undefined;
  points: number;
  /** The number of the first point that it judged, counted from 0. Null if the past is too short. */
  judgedFrom: number | null;
  told: {
    at: string;
    point: number;
    value: number;
    expected: number | null;
    /** The first point of the ordinary time after it. Null if there is none. */
    resolvedAt: string | null;
  }[];
}

/** Judges the series of one line of a file. */
export function tryLine(text: string): TriedLine | { error: string } {
  const parsed = parseJsonLine(Line, text);
  if ("error" in parsed) return parsed;
  const { name, points: given, ...settings } = parsed.line;
  const points = given.map((point) => {
    const [at, value] = Array.isArray(point) ? point : [point.at, point.value];
    return { at: toMoment(at), value: value === null ? null : Number(value) };
  });
  const disordered = points.findIndex(({ at }, i) => i > 0 && at <= (points[i - 1]?.at ?? at));
  if (disordered !== -1) return { error: `Point ${disordered} is not later than the one before it.` };
  const judgements = judgeSeries(points, settings);
  const judgedFrom = judgements.findIndex(({ state }) => state === "ordinary" || state === "unusual");
  const told = judgements.flatMap(({ at, value, expected, isNew }, point) => {
    if (!isNew || value === null) return [];
    const end = judgements.findIndex(({ state }, later) => later > point && state === "ordinary");
    const resolvedAt = end === -1 ? null : new Date(judgements[end]?.at ?? 0).toISOString();
    return [{ at: new Date(at).toISOString(), point, value, expected, resolvedAt }];
  });
  return { name, points: points.length, judgedFrom: judgedFrom === -1 ? null : judgedFrom, told };
}

/** A time without a zone is taken as UTC. */
function toMoment(time: string | number): number {
  if (typeof time === "number") return time;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(time);
  return Date.parse(time.includes("T") && !hasZone ? `${time}Z` : time);
}
