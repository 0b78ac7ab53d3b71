import { numberFormat } from "./intl-formats.ts";

const numbers = numberFormat();

/** A number with the reader's own separators. */
export const formatNumber = (value: number): string => numbers().format(value);

/** "1 delivery", "1,204 deliveries". */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
