import { nextTimes, type PreviewSchedule, type SchedulePreview } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The next times of a schedule that is not saved yet. */
export const previewSchedule = (
  { clock }: Pick<Deps, "clock">,
  { schedule }: PreviewSchedule,
): SchedulePreview => ({ nextTimes: nextTimes(schedule, clock.now(), 3).map((time) => time.toISOString()) });
