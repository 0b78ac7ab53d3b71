const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** "1.5 MB", in the reader's own format. */
export function formatBytes(bytes: number): string {
  const size = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(undefined, {
    style: "unit",
    unit: units[size] ?? "byte",
    unitDisplay: "short",
    maximumFractionDigits: size === 0 ? 0 : 1,
  }).format(bytes / 1000 ** size);
}
