// Also in result-grid.module.css.
export const rowHeight = 30;
export const headerHeight = 34;
/** The width of the column of row numbers: as narrow as the last number allows, since a phone has little room. */
export const numberWidthOf = (rowCount: number): number =>
  Math.max(32, Math.ceil(String(rowCount).length * 7.2) + 18);
/** To the left and to the right of a cell's text. */
export const cellPadding = 10;
/** No letter is narrower. Letters beyond the width of a cell are invisible, so they are not laid out. */
export const minLetterWidth = 2;
