import { Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, trpc } from "../../api.ts";
import { InlineText } from "../../ui/inline-text.tsx";
import { queryTitle } from "./query-title.ts";
import type { Query } from "./use-saving.ts";

interface QueryHeadingProps {
  /** Undefined: a new query, which is named when it is saved. */
  query: Query | undefined;
  /** The name that the draft of a new query has already. */
  draftName: string | null;
  /** Whether the statement is saved. */
  children: ReactNode;
}

/** The name, edited in place. */
export function QueryHeading({ query, draftName, children }: QueryHeadingProps) {
  const title = query ? queryTitle(query) : (draftName ?? "New query");
  useDocumentTitle(`${title} · Querybell`);
  const heading = (
    <Title order={1} size="h3" lineClamp={1}>
      {title}
    </Title>
  );
  return (
    <Group gap="sm">
      {query ? <QueryName query={query}>{heading}</QueryName> : heading}
      {children}
    </Group>
  );
}

function QueryName({ query, children }: { query: Query; children: ReactNode }) {
  const queries = useQueryClient();
  const save = async (name: string) => {
    const changed = name.trim() === "" ? null : name;
    const saved = await api.queries.update.mutate({ id: query.id, name: changed });
    // Only the name: the SQL may have been saved meanwhile.
    queries.setQueryData(
      trpc.queries.get.queryKey({ id: query.id }),
      (before) => before && { ...before, name: saved.name },
    );
    void queries.invalidateQueries(trpc.queries.list.queryFilter());
  };
  return (
    <InlineText value={query.name ?? ""} what="name" placeholder="A name for this query" onSave={save}>
      {children}
    </InlineText>
  );
}
