/** Whether a text that was written and one that was read from a column of a type mean the same. Independent of DuckDB. */
export function isSameValue(written: string, read: string, type: string): boolean {
  if (type === "VARCHAR") return written === read;
  if (type === "BOOLEAN") return written.toLowerCase() === read;
  if (/^(?:BIGINT|HUGEINT|DOUBLE|DECIMAL)/.test(type)) return numberOf(written) === numberOf(read);
  return momentOf(written) === momentOf(read);
}

/** Sign, digits without zeros around them, and the power of ten: one text for each number. */
export function numberOf(text: string): string {
  const special = /^(-?)(?:(inf|infinity)|(nan))$/i.exec(text);
  if (special) return special[3] ? "nan" : `${special[1]}inf`;
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!parts) return `no number: ${text}`;
  const [, sign = "", whole = "", fraction = "", power = "0"] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = withoutEndingZeros(digits);
  if (significant === "") return "0";
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${exponent}`;
}

function withoutEndingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Nanoseconds since 1970, or since midnight. A day is its first moment; a day alone has no zone, nor has a time. */
function momentOf(text: string): string {
  const parts =
    /^(?:(\d{4})-(\d\d)-(\d\d))?[ T]?(?:(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(
      text,
    );
  if (!parts) return `no moment: ${text}`;
  const [, year, month, day, hours = "00", minutes = "00", seconds = "00", fraction = "", zone] = parts;
  const date = year === undefined ? "1970-01-01" : `${year}-${month}-${day}`;
  const ms = BigInt(Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`));
  const [, sign = "+", zoneHours = "0", zoneMinutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? "") ?? [];
  const shift = BigInt(Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1n : 1n);
  const nanoseconds =
    (ms - shift * 60_000n) * 1_000_000n + BigInt(withoutEndingZeros(fraction).padEnd(9, "0"));
  return `${zone === undefined ? "local" : "instant"} ${nanoseconds}`;
}
