/** An endpoint's address without what every address has. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, "");
