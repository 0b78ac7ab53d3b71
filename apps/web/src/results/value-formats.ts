import { createFormats, type ValueFormat } from "@querybell/charts/formats";
import { onFirstUse } from "../format/intl-formats.ts";

/** Writes values as the reader of the page does. */
export const readerFormats = onFirstUse(() => createFormats());

/** Writes a value in a format; one that the format cannot take is written as it is. */
export const formatValue = (value: unknown, format: ValueFormat): string =>
  readerFormats().value(value, format);
