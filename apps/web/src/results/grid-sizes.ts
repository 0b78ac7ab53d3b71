// Also in result-grid.module.css.
export const rowHeight = 30;
export const headerHeight = 34;
/** The column of row numbers. */
export const numberWidth = 64;
/** To the left and to the right of a cell's text. */
export const cellPadding = 10;
