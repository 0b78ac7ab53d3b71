import { Group, Text, Title } from "@mantine/core";
import { IconChartLine, IconFileTypeSql } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { api, showChange, trpc } from "../../api.ts";
import type { Reference } from "../../charts/visualization.ts";
import { PageActions } from "../../library/page-actions.tsx";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { toValueSearch } from "../../parameters/value-search.ts";
import { useMe } from "../../session/me.ts";
import { CopyButton } from "../../ui/copyable.tsx";
import { InlineText } from "../../ui/inline-text.tsx";
import { ButtonTo, MenuItemTo } from "../../ui/links.tsx";
import classes from "./permalink-page.module.css";

interface PermalinkHeadingProps {
  reference: Reference;
  queryId: string;
  /** The values in the address. */
  values: ValueTexts;
}

/** Title and description, edited in place, and the buttons of the chart. */
export function PermalinkHeading({ reference, queryId, values }: PermalinkHeadingProps) {
  const { shortId, title, description } = reference;
  const queries = useQueryClient();
  const save = async (changed: { title?: string; description?: string | null }) => {
    const saved = await api.references.update.mutate({ shortId, ...changed });
    showChange(trpc.references.get.queryKey({ shortId }), (before) => before && { ...before, ...saved });
    void queries.invalidateQueries(trpc.references.list.queryFilter());
    void queries.invalidateQueries(trpc.library.pathFilter());
  };
  const { isMember } = useMe();
  if (!isMember) {
    return (
      <div className={classes.heading}>
        <Title order={1} size="h2" className={classes.title ?? ""}>
          {title}
        </Title>
        <Text c="dimmed" className={classes.description ?? ""}>
          {description}
        </Text>
        <Group gap="xs" className={classes.actions ?? ""}>
          <CopyButton value={location.href} what="the link" />
          <PageActions kind="reference" id={reference.id} title={title} />
        </Group>
      </div>
    );
  }
  return (
    <div className={classes.heading}>
      <div className={classes.title}>
        <InlineText value={title} what="title" onSave={(text) => save({ title: text })}>
          <Title order={1} size="h2">
            {title}
          </Title>
        </InlineText>
      </div>
      <div className={classes.description}>
        <InlineText
          value={description ?? ""}
          what="description"
          placeholder="What it shows, and how to read it"
          isLong
          onSave={(text) => save({ description: text.trim() === "" ? null : text })}
        >
          <Text c="dimmed">{description ?? "No description"}</Text>
        </InlineText>
      </div>
      <Group gap="xs" className={classes.actions ?? ""}>
        <CopyButton value={location.href} what="the link" />
        <ButtonTo
          variant="default"
          to="/q/$shortId/edit"
          params={{ shortId }}
          leftSection={<IconChartLine size={16} />}
          visibleFrom="xs"
        >
          Edit the chart
        </ButtonTo>
        <ButtonTo
          variant="default"
          to="/queries/$queryId"
          params={{ queryId }}
          search={toValueSearch(values)}
          leftSection={<IconFileTypeSql size={16} />}
        >
          Open the query
        </ButtonTo>
        <PageActions kind="reference" id={reference.id} title={title}>
          <MenuItemTo
            to="/q/$shortId/edit"
            params={{ shortId }}
            leftSection={<IconChartLine size={14} />}
            hiddenFrom="xs"
          >
            Edit the chart
          </MenuItemTo>
        </PageActions>
      </Group>
    </div>
  );
}
