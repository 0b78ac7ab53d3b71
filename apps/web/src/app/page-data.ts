import { queryClient } from "../api.ts";
import { meOptions } from "../components/me.ts";

interface PageRead {
  procedure: string;
  input?: unknown;
  data: unknown;
}

/** The key under which the options of `trpc` keep a procedure's answer. */
const keyOf = ({ procedure, input }: PageRead) =>
  procedure === "me.get"
    ? meOptions.queryKey
    : [procedure.split("."), { ...(input !== undefined && { input }), type: "query" }];

/** Takes the answers that the api sent with the page, so that nothing of it is asked for again. */
export function takePageData(): void {
  const text = document.getElementById("page-data")?.textContent;
  if (!text) return;
  for (const read of JSON.parse(text) as PageRead[]) queryClient.setQueryData(keyOf(read), read.data);
}
