/** Of one public link: each combination of published values is a page with its own results and pictures. */
export const maxPublishedPages = 50;
/** On all pages of a link. */
export const maxPublishedCharts = 600;

/** How many combinations of values there are: 1 without choices. */
export const countPages = (choices: readonly { values: readonly string[] }[]): number =>
  choices.reduce((product, { values }) => product * values.length, 1);
