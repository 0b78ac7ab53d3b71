import { numberFormat } from "./intl-formats.ts";

const units = ["KiB", "MiB", "GiB", "TiB"] as const;
const number = numberFormat({ maximumFractionDigits: 1 });

/** "1.5 MiB", in the units in which limits are set. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${number().format(bytes)} bytes`;
  const size = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${number().format(bytes / 1024 ** size)} ${units[size - 1]}`;
}
