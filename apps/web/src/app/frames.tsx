import { Container, Skeleton, Stack } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorNotice } from "../components/error-notice.tsx";
import { toFailure } from "../components/failure.ts";
import { NotFound } from "../components/not-found.tsx";
import { PageHeader } from "../components/page-header.tsx";

/** Shown while a page is on its way: as tall as a page's beginning, so that little moves when it arrives. */
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
  const failure = toFailure(error);
  if (failure.code === "not_found") return <NotFound>{failure.message}</NotFound>;
  // The address holds something that cannot be an id.
  if (failure.fields.id !== undefined) return <NotFound />;
  const tryAgain = async () => {
    await router.invalidate();
    reset();
  };
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title="This did not work" />
      <ErrorNotice error={error} onRetry={tryAgain} />
    </Container>
  );
}

/** Shown for an address that no page has. */
export const NotFoundFrame = () => <NotFound />;
