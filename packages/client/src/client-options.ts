export interface ClientOptions {
  /** Where Querybell runs, such as `https://querybell.example.com`. */
  url: string;
  /** An API key (`qb_…`). Omit it in Querybell's own web pages, which use the session cookie. */
  apiKey?: string;
  /** Further headers of each query, mutation and upload. Not of subscriptions: a browser's EventSource sends none. */
  headers?: () => Record<string, string>;
  /**
   * Called when the server refuses a call with `confirmation_required`. The call is sent once more if it resolves to true.
   * Only sessions need it: API keys cannot make such calls.
   */
  confirm?: () => Promise<boolean>;
}

/** The address of a route of the API. */
export function addressOf({ url }: ClientOptions, route: string): string {
  if (!URL.canParse(url)) {
    throw new Error(`url must be an address such as https://querybell.example.com, and not "${url}".`);
  }
  return `${url.replace(/(?<!\/)\/+$/, "")}${route}`;
}

/** The headers of one call. */
export const callHeadersOf = (options: ClientOptions): Record<string, string> => ({
  ...options.headers?.(),
  ...headersOf(options),
});

/** The header with the API key, if there is one. */
export function headersOf({ apiKey }: ClientOptions): Record<string, string> {
  if (apiKey === "") throw new Error("apiKey is empty. Give a key that begins with qb_, or leave it out.");
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
