import { Skeleton, Stack } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { isUnanswered } from "../errors/failure.ts";
import { LoadFailure, NotFound } from "../errors/not-found.tsx";
import { useOnReconnect } from "./connection.ts";

/** Shown while a page loads. As tall as the top of a page, to reduce layout shift. */
export const LoadingFrame = () => (
  <Stack aria-busy="true" role="status" aria-label="Loading">
    <Skeleton height={40} width="40%" />
    <Skeleton height={20} width="70%" />
    <Skeleton height={240} />
  </Stack>
);

/** Shown instead of a page that could not be loaded or drawn. */
export function ErrorFrame({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const tryAgain = async () => {
    await router.invalidate();
    reset();
  };
  useOnReconnect(() => isUnanswered(error) && void tryAgain());
  return <LoadFailure error={error} onRetry={() => void tryAgain()} />;
}

/** Shown for an address without a page. */
export const NotFoundFrame = () => <NotFound />;
