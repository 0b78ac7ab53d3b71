import { Badge, Button, Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, trpc } from "../../api.ts";
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
    <Group gap="sm">
      {query ? <QueryName query={query}>{heading}</QueryName> : heading}
      <SaveState isNew={!query} statement={statement} onDiscard={onDiscard} />
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
