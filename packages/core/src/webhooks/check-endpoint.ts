import { AppError, type InputError } from "@querybell/domain";
import { checkCustomHeaders } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";

const checkWithinMs = 5_000;

interface Checked {
  url?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Refuses headers that would override ours, and a URL that the sender would refuse too. */
export async function checkEndpoint(
  { guard }: Pick<Deps, "guard">,
  { url, headers = {} }: Checked,
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
    const checked = await guard.check(target.host, AbortSignal.timeout(checkWithinMs));
    return checked.kind === "checked" ? undefined : checked.message;
  } catch {
    return `The name ${target.host.name} could not be looked up in time. Try again shortly.`;
  }
}
