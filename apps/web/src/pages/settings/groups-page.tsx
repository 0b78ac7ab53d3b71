import { Button, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { EditGroupModal, NewGroupModal } from "./group-modals.tsx";

type Group = Outputs["groups"]["list"][number];

const sources: Record<Exclude<Group["source"], "manual">, string> = {
  oidc: "Single sign-on",
  scim: "SCIM",
};

export function GroupsPage() {
  const groups = useQuery(trpc.groups.list.queryOptions());
  const [isCreating, setIsCreating] = useState(false);
  const [editing, setEditing] = useState<Group>();
  const [deleting, setDeleting] = useState<Group>();

  const remove = async ({ id, name }: Group) => {
    await api.groups.delete.mutate({ groupId: id });
    await queryClient.invalidateQueries(trpc.groups.pathFilter());
    notifications.show({ message: `The group ${name} is deleted.` });
  };

  return (
    <>
      <PageHeader
        title="Groups"
        description="Members who get rights on databases and folders together. Your identity provider can keep groups, too."
      >
        <Button onClick={() => setIsCreating(true)}>Create a group</Button>
      </PageHeader>
      {groups.error && <ErrorNotice error={groups.error} onRetry={groups.refetch} />}
      {!groups.data && !groups.error && <Skeleton height={180} />}
      {groups.data?.length === 0 && (
        <EmptyState
          title="No groups yet"
          description="Create one for each team, then give it rights instead of giving them to each person."
        />
      )}
      {groups.data && groups.data.length > 0 && (
        <ItemList label="Groups">
          {groups.data.map((group) => (
            <GroupItem
              key={group.id}
              group={group}
              onEdit={() => setEditing(group)}
              onDelete={() => setDeleting(group)}
            />
          ))}
        </ItemList>
      )}
      <NewGroupModal opened={isCreating} onClose={() => setIsCreating(false)} onCreated={setEditing} />
      {editing && <EditGroupModal key={editing.id} group={editing} onClose={() => setEditing(undefined)} />}
      <ConfirmModal
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={`Delete the group ${deleting?.name}?`}
        action="Delete the group"
        onConfirm={async () => deleting && remove(deleting)}
      >
        Its {pluralize(deleting?.memberCount ?? 0, "member")} lose the rights that they have through it. They
        stay members of the organization.
      </ConfirmModal>
    </>
  );
}

interface GroupItemProps {
  group: Group;
  onEdit: () => void;
  onDelete: () => void;
}

const GroupItem = ({ group, onEdit, onDelete }: GroupItemProps) => (
  <Item
    title={
      <>
        {group.name} {group.source !== "manual" && <Tag>{sources[group.source]}</Tag>}
      </>
    }
    actions={
      <>
        {group.source === "manual" && (
          <Button variant="default" size="xs" onClick={onEdit} aria-label={`Edit ${group.name}`}>
            Edit
          </Button>
        )}
        <Button variant="default" size="xs" onClick={onDelete} aria-label={`Delete ${group.name}`}>
          Delete
        </Button>
      </>
    }
  >
    <span>{pluralize(group.memberCount, "member")}</span>
    <span>
      Since <Timestamp at={group.createdAt} format="date" />
    </span>
  </Item>
);
