import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { useRef } from "react";
import { trpc } from "../../api.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { useMe } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useRecordOpened } from "../home/use-record-opened.ts";
import type { Database } from "./query-toolbar.tsx";
import { QueryWorkspace } from "./query-workspace.tsx";

const route = getRouteApi("/app/queries/$queryId");

/** A query: its SQL, parameters, result, runs, versions and references. */
export function QueryPage() {
  const { queryId } = route.useParams();
  const { isMember } = useMe();
  return isMember ? <MemberQueryPage queryId={queryId} /> : <ViewerQueryPage queryId={queryId} />;
}

const ViewerQueryPage = lazyPart(async () => (await import("./viewer-query-page.tsx")).ViewerQueryPage);

function MemberQueryPage({ queryId }: { queryId: string }) {
  const query = useQuery(trpc.queries.get.queryOptions({ id: queryId }));
  const draft = useQuery(trpc.drafts.find.queryOptions({ queryId }));
  const databases = useQuery(trpc.databases.list.queryOptions());
  const error = query.error ?? draft.error ?? databases.error;
  useRecordOpened("query", query.data?.id);
  // If refetching fails, the page keeps its data, and the connection notice shows the failure.
  if (!query.data || draft.data === undefined || !databases.data) {
    const refetch = () => void Promise.all([query.refetch(), draft.refetch(), databases.refetch()]);
    if (error) return <LoadFailure error={error} onRetry={refetch} />;
    return <LoadingFrame />;
  }
  return <QueryWorkspace query={query.data} draft={draft.data ?? undefined} databases={databases.data} />;
}

const newRoute = getRouteApi("/app/queries/new");

/** A query that is not saved yet: a draft, whose id is in the address once something is typed. */
export function NewQueryPage() {
  const { isAdmin } = useMe();
  const { data: databases, error, refetch } = useQuery(trpc.databases.list.queryOptions());
  if (error && !databases) return <LoadFailure error={error} onRetry={() => void refetch()} />;
  if (!databases) return <LoadingFrame />;
  if (databases.length > 0) return <NewQuery databases={databases} />;
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

function NewQuery({ databases }: { databases: readonly Database[] }) {
  const { draft: draftId } = newRoute.useSearch();
  const navigate = newRoute.useNavigate();
  const { data, error, refetch } = useQuery(
    trpc.drafts.get.queryOptions({ id: draftId ?? "" }, { enabled: draftId !== undefined }),
  );
  // A draft that this page has created keeps its editor when it gets into the address; any other opens a new one.
  const opened = useRef<{ draftId: string | undefined; createdId?: string; count: number }>({
    draftId,
    count: 0,
  });
  if (opened.current.draftId !== draftId) {
    const { createdId, count } = opened.current;
    const isCreatedHere = draftId !== undefined && draftId === createdId;
    opened.current = { draftId, count: isCreatedHere ? count : count + 1 };
  }
  const onCreated = (id: string) => {
    opened.current.createdId = id;
    void navigate({ search: (before) => ({ ...before, draft: id }), replace: true, resetScroll: false });
  };
  if (draftId !== undefined && !data) {
    if (error) return <LoadFailure error={error} onRetry={() => void refetch()} />;
    return <LoadingFrame />;
  }
  const queryId = draftId === undefined ? null : (data?.queryId ?? null);
  if (queryId !== null) return <Navigate to="/queries/$queryId" params={{ queryId }} replace />;
  return (
    <QueryWorkspace
      key={opened.current.count}
      draft={draftId === undefined ? undefined : data}
      databases={databases}
      onCreated={onCreated}
    />
  );
}
