import { Group, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, showChange, trpc } from "../../api.ts";
import { PageActions } from "../../library/page-actions.tsx";
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
    <div>
      <Group gap="sm">
        {query ? <QueryName query={query}>{heading}</QueryName> : heading}
        {children}
        {query && <PageActions kind="query" id={query.id} title={title} />}
      </Group>
      {query && <QueryDescription query={query} />}
    </div>
  );
}

function QueryDescription({ query }: { query: Query }) {
  const save = useSaveQuery(query.id);
  return (
    <InlineText
      value={query.description ?? ""}
      what="description"
      placeholder="What it answers, and how to read it"
      isLong
      onSave={(text) => save({ description: text.trim() === "" ? null : text })}
    >
      <Text size="sm" c="dimmed">
        {query.description ?? "No description"}
      </Text>
    </InlineText>
  );
}

function QueryName({ query, children }: { query: Query; children: ReactNode }) {
  const save = useSaveQuery(query.id);
  return (
    <InlineText
      value={query.name ?? ""}
      what="name"
      placeholder="A name for this query"
      onSave={(name) => save({ name: name.trim() === "" ? null : name })}
    >
      {children}
    </InlineText>
  );
}

/** Saves the name or the description. */
function useSaveQuery(id: string) {
  const queries = useQueryClient();
  return async (changed: { name: string | null } | { description: string | null }) => {
    const { name, description } = await api.queries.update.mutate({ id, ...changed });
    // Only these: the SQL may have been saved meanwhile.
    showChange(trpc.queries.get.queryKey({ id }), (before) => before && { ...before, name, description });
    void queries.invalidateQueries(trpc.library.pathFilter());
  };
}
