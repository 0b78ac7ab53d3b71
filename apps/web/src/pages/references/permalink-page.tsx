import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { PermalinkNotFound, useIsElsewhere } from "../../errors/permalink-not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Permalink } from "./permalink.tsx";

const route = getRouteApi("/app/q/$shortId");

/** The page of a permalink: the chart, the rows, their parameter values and their age. */
export function PermalinkPage() {
  const { shortId } = route.useParams();
  const named = { kind: "reference", shortId } as const;
  const isElsewhere = useIsElsewhere(named);
  const options = trpc.references.get.queryOptions({ shortId }, { enabled: !isElsewhere });
  const { data: reference, error, refetch } = useQuery(options);
  if (isElsewhere) return <PermalinkNotFound named={named} />;
  if (!reference && error) {
    const failure = toFailure(error);
    return failure.code === "not_found" ? (
      <PermalinkNotFound named={named}>{failure.message}</PermalinkNotFound>
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
