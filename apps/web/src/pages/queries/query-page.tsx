import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { useMe } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useRecordOpened } from "../home/use-record-opened.ts";
import { QueryWorkspace } from "./query-workspace.tsx";

const route = getRouteApi("/app/queries/$queryId");

/** A query: its SQL, parameters, result, runs, versions and references. */
export function QueryPage() {
  const { queryId } = route.useParams();
  const query = useQuery(trpc.queries.get.queryOptions({ id: queryId }));
  const databases = useQuery(trpc.databases.list.queryOptions());
  useRecordOpened("query", query.data?.id);
  const error = query.error ?? databases.error;
  // If refetching fails, the page keeps its data, and the connection notice shows the failure.
  if (!query.data || !databases.data) {
    const refetch = () => void Promise.all([query.refetch(), databases.refetch()]);
    if (error) return <LoadFailure error={error} onRetry={refetch} />;
    return <LoadingFrame />;
  }
  return <QueryWorkspace query={query.data} databases={databases.data} />;
}

/** A query that is not saved yet. */
export function NewQueryPage() {
  const { isAdmin } = useMe();
  const { data: databases, error, refetch } = useQuery(trpc.databases.list.queryOptions());
  if (error && !databases) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!databases) return <LoadingFrame />;
  if (databases.length > 0) return <QueryWorkspace key="new" databases={databases} />;
  return (
    <>
      <PageHeader title="New query" />
      <EmptyState
        title="There is no database yet"
        description={
          isAdmin
            ? "A query runs on a database. Connect one in the settings first."
            : "A query runs on a database. An admin of your organization can connect one."
        }
      />
    </>
  );
}
