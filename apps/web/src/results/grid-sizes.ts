// Also in result-grid.module.css.
export const rowHeight = 30;
export const headerHeight = 34;
/** The column of row numbers. */
export const numberWidth = 64;
/** To the left and to the right of a cell's text. */
export const cellPadding = 10;
/** No letter is narrower: what lies beyond the width of a cell is not seen, and need not be laid out. */
export const minLetterWidth = 2;
