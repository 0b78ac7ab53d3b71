import type { Outputs } from "@querybell/client";
import { Failure, unreachable } from "../../errors/failure.ts";
import { organizationHeaders } from "../../session/shown-organization.ts";

type Upload = Outputs["uploads"]["overview"]["waiting"][number];

interface SendOptions {
  /** From 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
}

/** Sends a file with XMLHttpRequest, because `fetch` does not report upload progress. */
export function sendFile(file: File, { onProgress, signal }: SendOptions): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
    for (const [name, value] of Object.entries(organizationHeaders())) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(new Failure(unreachable));
    request.onabort = () => reject(new Failure("The upload was cancelled."));
    request.onload = () => {
      if (request.status === 201) resolve(request.response);
      else reject(new Failure(request.response?.detail ?? unreachable, request.response?.code));
    };
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
