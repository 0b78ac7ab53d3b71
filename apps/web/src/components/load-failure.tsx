import { ErrorNotice } from "./error-notice.tsx";
import { toFailure } from "./failure.ts";
import { NotFound } from "./not-found.tsx";

interface LoadFailureProps {
  error: unknown;
  onRetry: () => void;
}

/** Shown in place of a page when what it is about could not be read. */
export function LoadFailure({ error, onRetry }: LoadFailureProps) {
  const { code, message, fields } = toFailure(error);
  if (code === "not_found") return <NotFound>{message}</NotFound>;
  // The address holds something that cannot be an id.
  if (fields.id !== undefined) return <NotFound />;
  return <ErrorNotice error={error} onRetry={onRetry} />;
}
