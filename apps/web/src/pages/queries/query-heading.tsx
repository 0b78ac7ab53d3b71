import { Badge, Button, Group, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, trpc } from "../../api.ts";
import { PageActions } from "../../library/page-actions.tsx";
import { InlineText } from "../../ui/inline-text.tsx";
import { queryTitle } from "./query-title.ts";
import type { Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";
import { useIsUnsaved } from "./use-statement.ts";

interface QueryHeadingProps {
  /** Undefined: a new query, which is named once it is saved. */
  query: Query | undefined;
  statement: Statement;
  onDiscard: () => void;
}

/** The name, edited in place, and whether the statement is saved. */
export function QueryHeading({ query, statement, onDiscard }: QueryHeadingProps) {
  const title = query ? queryTitle(query) : "New query";
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
        <SaveState isNew={!query} statement={statement} onDiscard={onDiscard} />
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
    queries.setQueryData(
      trpc.queries.get.queryKey({ id }),
      (before) => before && { ...before, name, description },
    );
    void queries.invalidateQueries(trpc.library.pathFilter());
  };
}

interface SaveStateProps {
  isNew: boolean;
  statement: Statement;
  onDiscard: () => void;
}

/** Whether what is in the editor is saved. */
function SaveState({ isNew, statement, onDiscard }: SaveStateProps) {
  const isUnsaved = useIsUnsaved(statement);
  if (isNew && !isUnsaved) return null;
  return (
    <Group gap={4}>
      <Badge variant={isUnsaved ? "filled" : "default"} tt="none" fw={500} role="status">
        {isUnsaved ? "Unsaved" : "Saved"}
      </Badge>
      {isUnsaved && !isNew && (
        <Button size="compact-xs" variant="subtle" onClick={onDiscard}>
          Discard changes
        </Button>
      )}
    </Group>
  );
}
