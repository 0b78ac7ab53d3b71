import { AppError, type InputError } from "@querybell/domain";
import { checkCustomHeaders } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";

/** How long the name servers may take to answer before the form gets an error. */
const lookupTimeoutMs = 5_000;

interface EndpointInput {
  url?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Throws if a custom header would override one of ours, or if the guard refuses the URL or its addresses. */
export async function checkEndpoint(
  { guard }: Pick<Deps, "guard">,
  { url, headers = {} }: EndpointInput,
): Promise<void> {
  const problems: InputError[] = [...checkCustomHeaders(headers)];
  const refusal = url === undefined ? undefined : await refuseUrl(guard, url);
  if (refusal) problems.push({ path: "url", message: refusal });
  if (problems.length === 0) return;
  const [first] = problems;
  throw new AppError("invalid_request", refusal ?? `${first?.path} ${first?.message}.`, { errors: problems });
}

async function refuseUrl(guard: Deps["guard"], url: string): Promise<string | undefined> {
  const target = guard.parseTarget(url);
  if (target.kind !== "target") return target.message;
  try {
    const checked = await guard.check(target.host, AbortSignal.timeout(lookupTimeoutMs));
    return checked.kind === "checked" ? undefined : checked.message;
  } catch {
    return `The name ${target.host.name} could not be looked up in time. Try again shortly.`;
  }
}
