/** A place in a text as editors count: both from 1, columns in UTF-16 code units. */
export interface TextPosition {
  line: number;
  column: number;
}

export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export const describePosition = ({ line, column }: TextPosition): string => `line ${line}, column ${column}`;
