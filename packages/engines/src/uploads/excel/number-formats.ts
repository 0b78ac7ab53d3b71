/** What a number means by its format. */
export type NumberKind = "number" | "date" | "time" | "moment";

const dateIds = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]);
const timeIds = new Set([18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56]);
const momentId = 22;

/** What a format means: one of Excel's own, by its number, or a code such as `dd/mm/yyyy`. */
export function kindOfFormat(id: number, code: string | undefined): NumberKind {
  if (code !== undefined) return kindOfCode(code);
  if (dateIds.has(id)) return "date";
  if (timeIds.has(id)) return "time";
  return id === momentId ? "moment" : "number";
}

/** Texts, escaped characters and gaps of a format. */
const literals = /"[^"]*"|\\.|_.|\*./g;
/** `[h]` and the like: hours that are not counted within a day. */
const elapsed = /\[(?:h+|m+|s+)\]/i;
const brackets = /\[[^[\]]*\]/g;

function kindOfCode(code: string): NumberKind {
  const [first = ""] = code.replaceAll(literals, "").split(";");
  if (elapsed.test(first) || /^general$/i.test(first.trim())) return "number";
  const letters = first.replaceAll(brackets, "").toLowerCase();
  const hasTime = /[hs]/.test(letters.replaceAll(/am\/pm|a\/p/g, "h"));
  const hasDay = /[yd]/.test(letters) || (!hasTime && letters.includes("m"));
  if (hasDay) return hasTime ? "moment" : "date";
  return hasTime ? "time" : "number";
}

const secondsOfDay = 86_400;
const msOfDay = secondsOfDay * 1000;
/** The first day after the 29 February 1900, which Excel has and the calendar does not. */
const afterLeapBug = 61;
const lastDay = 2_958_465;

/** A date, a time or a moment as text. Undefined for a number that is none in this format. */
export function toDateText(serial: number, kind: NumberKind, is1904: boolean): string | undefined {
  let day = Math.floor(serial);
  let { seconds, fraction } = timeOf(serial, day);
  if (seconds === secondsOfDay) {
    day++;
    seconds = 0;
    fraction = "";
  }
  const time = `${clock(seconds)}${fraction}`;
  if (kind === "time" && day === 0 && serial >= 0) return time;
  const date = is1904 ? dateOf(day, Date.UTC(1904, 0, 1)) : dateOf1900(day);
  if (date === undefined) return undefined;
  return kind === "date" && seconds === 0 && fraction === "" ? date : `${date} ${time}`;
}

/** The time of a day in the fewest digits that give the same number again, or in microseconds. */
function timeOf(serial: number, day: number): { seconds: number; fraction: string } {
  const tolerance = Math.max(serial, 1) * Number.EPSILON * 2;
  for (const digits of [0, 3, 6]) {
    const scale = 10 ** digits;
    const units = Math.round((serial - day) * secondsOfDay * scale);
    const isSame = Math.abs(day + units / (secondsOfDay * scale) - serial) <= tolerance;
    if (!isSame && digits < 6) continue;
    const rest = units % scale;
    const fraction = rest === 0 ? "" : `.${String(rest).padStart(digits, "0")}`;
    return { seconds: Math.floor(units / scale), fraction };
  }
  return { seconds: 0, fraction: "" };
}

const two = (number: number): string => String(number).padStart(2, "0");
const clock = (seconds: number): string =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;

function dateOf1900(day: number): string | undefined {
  if (day < 1 || day === afterLeapBug - 1) return undefined;
  return dateOf(day, Date.UTC(1899, 11, day < afterLeapBug ? 31 : 30));
}

function dateOf(day: number, epochMs: number): string | undefined {
  if (day < 0 || day > lastDay) return undefined;
  const date = new Date(epochMs + day * msOfDay);
  return date.getUTCFullYear() > 9999 ? undefined : date.toISOString().slice(0, 10);
}
