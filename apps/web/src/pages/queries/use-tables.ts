import type { Outputs } from "@querybell/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, trpc } from "../../api.ts";
import { engines } from "../../engines/engines.ts";
import { describeTables, tablesOfCharts } from "../../sql/described-tables.ts";

type Database = Outputs["databases"]["list"][number];

const staleTime = 300_000;
/** How many tables the api lists at a time where it lists by page. */
const pageSize = 500;

/** A schema that somebody has chosen to see the tables of. */
export interface ChosenSchema {
  databaseId: string;
  schema: string;
}

/** The tables of a database: all of them or, where there can be too many, those of one schema, page by page. */
export function useTables(database: Database | undefined, chosen: ChosenSchema | undefined) {
  const id = database?.id ?? "";
  const isPaged = database !== undefined && engines[database.engine].listsTablesBySchema;
  const schema = chosen?.databaseId === id ? chosen.schema : undefined;
  const schemas = useQuery(trpc.databases.schemas.queryOptions({ id }, { enabled: isPaged, staleTime }));
  const input = { id, ...(schema !== undefined && { schema }) };
  const pages = useInfiniteQuery({
    queryKey: trpc.databases.tables.queryKey(input),
    queryFn: ({ pageParam, signal }) =>
      api.databases.tables.query({ ...input, ...(pageParam !== "" && { after: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: (last) => (isPaged && last.length === pageSize ? last.at(-1)?.name : undefined),
    enabled: database !== undefined,
    staleTime,
  });
  const descriptions = useQuery(
    trpc.databases.descriptions.queryOptions({ id }, { enabled: database !== undefined, staleTime }),
  );
  const charts = useQuery(
    trpc.queries.chartTables.queryOptions(undefined, { enabled: database?.holdsUploads === true }),
  );
  const tables = useMemo(
    () =>
      pages.data && [
        ...describeTables(pages.data.pages.flat(), descriptions.data ?? []),
        ...tablesOfCharts(database?.holdsUploads ? (charts.data ?? []) : []),
      ],
    [pages.data, descriptions.data, charts.data, database?.holdsUploads],
  );
  return {
    tables,
    error: pages.error ?? schemas.error,
    refetch: () =>
      void Promise.all([
        pages.refetch(),
        descriptions.refetch(),
        isPaged && schemas.refetch(),
        database?.holdsUploads && charts.refetch(),
      ]),
    /** Which schemas there are to choose from, where that has to be chosen. */
    choice: isPaged ? { schemas: schemas.data ?? [], schema } : undefined,
    showMore: pages.hasNextPage ? () => void pages.fetchNextPage() : undefined,
  };
}
