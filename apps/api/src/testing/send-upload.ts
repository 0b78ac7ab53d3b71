import { type Upload, Upload as UploadSchema } from "@querybell/domain";
import type { Api } from "./api-test.ts";

interface SentFile {
  name?: string;
  content: string | Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
  /** Further parameters of the address. */
  parameters?: Record<string, string>;
}

/** Sends a file as a program does. */
export const sendUpload = (
  api: Pick<Api, "fetch">,
  { name = "sales.csv", content, headers, parameters = {} }: SentFile,
): Promise<Response> =>
  api.fetch(`/api/uploads?${new URLSearchParams({ name, ...parameters })}`, {
    method: "POST",
    headers,
    body: content,
  });

/** The same for a file that is accepted. */
export async function uploadFile(api: Pick<Api, "fetch">, file: SentFile): Promise<Upload> {
  const answer = await sendUpload(api, file);
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`The upload answered ${answer.status}: ${text}`);
  return UploadSchema.parse(JSON.parse(text));
}
