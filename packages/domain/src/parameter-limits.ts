// Without schemas, so that pages can check values as the api does.

/** The maximum number of items of a list value. */
export const maxListItems = 10_000;
