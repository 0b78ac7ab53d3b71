/** An endpoint's URL without `https://`. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, "");
