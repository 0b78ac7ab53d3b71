import { Button, Group, List, Menu, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconChartLine, IconDots, IconFileTypeSql, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import type { Reference } from "../../charts/visualization.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { CopyButton } from "../../ui/copyable.tsx";
import { InlineText } from "../../ui/inline-text.tsx";
import { ButtonTo, MenuItemTo } from "../../ui/links.tsx";
import classes from "./permalink-page.module.css";

interface PermalinkHeadingProps {
  reference: Reference;
  queryId: string;
}

/** Title and description, edited in place, and the buttons of the reference. */
export function PermalinkHeading({ reference, queryId }: PermalinkHeadingProps) {
  const { shortId, title, description } = reference;
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const save = async (changed: { title?: string; description?: string | null }) => {
    const saved = await api.references.update.mutate({ shortId, ...changed });
    queries.setQueryData(
      trpc.references.get.queryKey({ shortId }),
      (before) => before && { ...before, ...saved },
    );
    void queries.invalidateQueries(trpc.references.list.queryFilter());
  };
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
          leftSection={<IconFileTypeSql size={16} />}
        >
          Open the query
        </ButtonTo>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" aria-label="More" px="xs">
              <IconDots size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <MenuItemTo
              to="/q/$shortId/edit"
              params={{ shortId }}
              leftSection={<IconChartLine size={14} />}
              hiddenFrom="xs"
            >
              Edit the chart
            </MenuItemTo>
            <Menu.Item
              color="var(--qb-bad)"
              leftSection={<IconTrash size={14} />}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <DeleteReference reference={reference} opened={isDeleting} onClose={() => setDeleting(false)} />
      </Group>
    </div>
  );
}

interface DeleteReferenceProps {
  reference: { shortId: string; title: string };
  opened: boolean;
  onClose: () => void;
}

/** Asks before a reference is deleted: its permalink stops working for good. */
function DeleteReference({ reference: { shortId, title }, opened, onClose }: DeleteReferenceProps) {
  const navigate = useNavigate();
  const remove = async () => {
    await api.references.delete.mutate({ shortId });
    notifications.show({ message: `“${title}” is deleted. Its link no longer works.` });
    await navigate({ to: "/references" });
    queryClient.removeQueries(trpc.references.get.queryFilter({ shortId }));
    await queryClient.invalidateQueries(trpc.references.list.queryFilter());
    await queryClient.invalidateQueries(trpc.queries.references.queryFilter());
  };
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Delete “${title}”?`}
      action="Delete the reference"
      onConfirm={remove}
    >
      <List spacing="xs">
        <List.Item>The link /q/{shortId} ends for everybody, and is never given out again.</List.Item>
        <List.Item>Its chart, description and parameter definitions are lost.</List.Item>
        <List.Item>Runs of automations that look at it fail until it is removed there.</List.Item>
        <List.Item>The query stays, with its SQL, its runs and its result.</List.Item>
      </List>
    </ConfirmModal>
  );
}
