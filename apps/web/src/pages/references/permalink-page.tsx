import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { LoadingFrame } from "../../app/frames.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { toFailure } from "../../components/failure.ts";
import { PermalinkNotFound } from "../../components/permalink-not-found.tsx";
import { Permalink } from "./permalink.tsx";

const route = getRouteApi("/app/q/$shortId");

/** The page of a permalink: the chart, the rows, their parameter values and their age. */
export function PermalinkPage() {
  const { shortId } = route.useParams();
  const { data: reference, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (!reference && error) {
    const failure = toFailure(error);
    return failure.code === "not_found" ? (
      <PermalinkNotFound named={{ kind: "reference", shortId }}>{failure.message}</PermalinkNotFound>
    ) : (
      <ErrorNotice error={error} onRetry={refetch} />
    );
  }
  if (!reference) return <LoadingFrame />;
  const queryId = reference.currentQuery?.id;
  if (queryId === undefined) {
    return (
      <EmptyState
        title={reference.title}
        description="This reference waits for its query. Come back when it is there."
      />
    );
  }
  return <Permalink reference={reference} queryId={queryId} />;
}
