import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { useMe } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryWorkspace } from "./query-workspace.tsx";

const route = getRouteApi("/app/queries/$queryId");
const newRoute = getRouteApi("/app/queries/new");

/** A query: its SQL, parameters, result, runs, versions and references. */
export function QueryPage() {
  const { queryId } = route.useParams();
  const query = useQuery(trpc.queries.get.queryOptions({ id: queryId }));
  const databases = useQuery(trpc.databases.list.queryOptions());
  const error = query.error ?? databases.error;
  // If refetching fails, the page keeps its data, and the connection notice shows the failure.
  if (!query.data || !databases.data) {
    const refetch = () => void Promise.all([query.refetch(), databases.refetch()]);
    if (error) return <LoadFailure error={error} onRetry={refetch} />;
    return <LoadingFrame />;
  }
  return <QueryWorkspace query={query.data} databases={databases.data} />;
}

/** A query that is not saved yet. The address can name its database and what its SQL begins with. */
export function NewQueryPage() {
  const { isAdmin } = useMe();
  const { database, sql } = newRoute.useSearch();
  const { data: databases, error, refetch } = useQuery(trpc.databases.list.queryOptions());
  if (error && !databases) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!databases) return <LoadingFrame />;
  if (databases.length > 0) {
    const databaseId = databases.find(({ id }) => id === database)?.id ?? databases[0]?.id ?? "";
    const start = sql === undefined ? undefined : { databaseId, sql };
    return <QueryWorkspace key={`new ${database} ${sql}`} start={start} databases={databases} />;
  }
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
