import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useState } from "react";
import { queryClient } from "../api.ts";
import { isUnanswered, toFailure } from "../errors/failure.ts";
import { reportFailedCall, useConnection } from "../frame/connection.ts";
import { meOptions } from "../session/me.ts";

const retryAfterMs = 2000;

/** Whether a later attempt may succeed: after the error page of a proxy, with fewer tabs, or after signing in again. */
const isTemporary = (error: unknown): boolean =>
  isUnanswered(error) || ["unauthorized", "rate_limited"].includes(toFailure(error).code ?? "");

/** `useSubscription` that also subscribes again after temporary errors with which tRPC ends a subscription. */
export function useLiveSubscription<Output, Failed>(
  options: Parameters<typeof useSubscription<Output, Failed>>[0],
) {
  const { status, error, reset } = useSubscription(options);
  const connection = useConnection();
  const [lastError, setLastError] = useState<Failed | null>(null);
  const hasFailed = status === "error";

  useEffect(() => {
    if (status !== "connecting") setLastError(error);
  }, [status, error]);

  useEffect(() => {
    if (hasFailed && toFailure(error).code === "unauthorized") void checkSession(error);
  }, [hasFailed, error]);

  // Not while the connection is lost or the user is signed out: the next attempt is due when that has changed.
  useEffect(() => {
    if (!hasFailed || !isTemporary(error) || connection !== "connected") return;
    const retry = setTimeout(reset, retryAfterMs);
    return () => clearTimeout(retry);
  }, [hasFailed, error, connection, reset]);

  return {
    status,
    error,
    /** The error to show: it stays until an attempt succeeds. */
    shownError: error ?? lastError,
  };
}

/**
 * A subscription is also refused if the session was switched to another organization. Reading `me` shows
 * that.
 */
async function checkSession(error: unknown): Promise<void> {
  const me = await queryClient.fetchQuery({ ...meOptions, staleTime: 0 }).catch(() => undefined);
  if (me === null) reportFailedCall(error);
}
