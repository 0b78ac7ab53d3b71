import { Button, NativeSelect, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { useMe, useRefreshMe } from "../../session/me.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { ShownOnce } from "../../ui/copyable.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { AttributesModal } from "./attributes-modal.tsx";
import { Invitations, InviteModal, roles } from "./invitations.tsx";

type Member = Outputs["members"]["list"][number];
type Role = Inputs["members"]["changeRole"]["role"];

export function MembersPage() {
  const { user } = useMe();
  const refreshMe = useRefreshMe();
  const members = useQuery(trpc.members.list.queryOptions());
  const keys = useQuery(trpc.keys.list.queryOptions());
  const [isInviting, setIsInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const [resetting, setResetting] = useState<Member>();
  const [described, setDescribed] = useState<Member>();
  const [resetLink, setResetLink] = useState<{ name: string; url: string; mailed: boolean }>();

  const changeRole = useMutation(
    trpc.members.changeRole.mutationOptions({
      // One after the other, so that the last one chosen is the one that stays.
      scope: { id: "member roles" },
      onSettled: async (_changed, _error, { userId }) => {
        await queryClient.invalidateQueries(trpc.members.pathFilter());
        if (userId === user.id) await refreshMe();
      },
    }),
  );
  const createResetLink = useMutation({
    mutationFn: async ({ userId, name }: Member) => {
      const { url, mailed } = await api.members.createPasswordResetLink.mutate({ userId });
      setResetLink({ name, url, mailed });
    },
  });
  const resetFactor = async ({ userId, name }: Member) => {
    await api.members.requestFactorReset.mutate({ userId });
    notifications.show({ message: `${name} is told. Their second factor is removed in three days.` });
  };
  const seeAs = useMutation({
    mutationFn: async ({ userId }: Member) => {
      await api.access.seeAs.mutate({ userId });
      location.assign("/");
    },
  });
  const remove = async ({ userId, name }: Member) => {
    await api.members.remove.mutate({ userId });
    await queryClient.invalidateQueries();
    notifications.show({ message: `${name} is no longer a member.` });
  };
  const keysOf = (member: Member | undefined) =>
    keys.data?.filter(({ userId }) => userId === member?.userId).length ?? 0;

  return (
    <>
      <PageHeader
        title="Members"
        description="Viewers open charts and write nothing. Members write and run queries. Admins also change settings, keys, databases and webhooks. Owners are admins whom only owners can change."
      >
        <Button onClick={() => setIsInviting(true)}>Invite somebody</Button>
      </PageHeader>
      {resetLink && (
        <ShownOnce
          title={`A link with which ${resetLink.name} sets a new password`}
          value={resetLink.url}
          what="the link"
        >
          {resetLink.mailed
            ? "It has been mailed to them, too."
            : "No mail is sent from here: give them the link yourself."}{" "}
          Anyone who has it can set the password, so send it privately.
        </ShownOnce>
      )}
      {[members.error, changeRole.error, createResetLink.error, seeAs.error].map(
        (error) => error && <ErrorNotice key={error.message} error={error} />,
      )}
      {!members.data && !members.error && <Skeleton height={180} />}
      {members.data && (
        <ItemList label="Members">
          {members.data.map((member) => (
            <MemberItem
              key={member.userId}
              member={member}
              isMe={member.userId === user.id}
              onChangeRole={(role) => changeRole.mutate({ userId: member.userId, role })}
              onReset={() => createResetLink.mutate(member)}
              onResetFactor={() => setResetting(member)}
              onAttributes={() => setDescribed(member)}
              onSeeAs={() => seeAs.mutate(member)}
              onRemove={() => setRemoving(member)}
            />
          ))}
        </ItemList>
      )}
      <Invitations />
      {described && <AttributesModal member={described} onClose={() => setDescribed(undefined)} />}
      <InviteModal opened={isInviting} onClose={() => setIsInviting(false)} />
      <ConfirmModal
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.name}?`}
        action="Remove the member"
        onConfirm={async () => removing && remove(removing)}
      >
        {removing?.name} loses access at once
        {keysOf(removing) > 0 &&
          `, and ${pluralize(keysOf(removing), "API key")} of theirs ${keysOf(removing) === 1 ? "ends" : "end"} for good`}
        . Their queries, charts and automations stay.
      </ConfirmModal>
      <ConfirmModal
        opened={resetting !== undefined}
        onClose={() => setResetting(undefined)}
        title={`Remove the second factor of ${resetting?.name}?`}
        action="Remove it in three days"
        onConfirm={async () => resetting && resetFactor(resetting)}
      >
        For somebody who has lost their device and their recovery codes. They are told at once, and can cancel
        it. After three days, their password alone signs them in.
      </ConfirmModal>
    </>
  );
}

interface MemberItemProps {
  member: Member;
  isMe: boolean;
  onChangeRole: (role: Role) => void;
  onReset: () => void;
  onResetFactor: () => void;
  onAttributes: () => void;
  onSeeAs: () => void;
  onRemove: () => void;
}

const MemberItem = ({
  member,
  isMe,
  onChangeRole,
  onReset,
  onResetFactor,
  onAttributes,
  onSeeAs,
  onRemove,
}: MemberItemProps) => (
  <Item
    title={
      <>
        {member.name} {isMe && <Tag>You</Tag>} {member.isService && <Tag>Service account</Tag>}
      </>
    }
    actions={
      <>
        <RoleField key={member.role} member={member} onChange={onChangeRole} />
        {!member.isService && (
          <Button
            variant="default"
            size="xs"
            onClick={onReset}
            aria-label={`Password link for ${member.name}`}
          >
            Password link
          </Button>
        )}
        {!isMe && member.hasSecondFactor && (
          <Button
            variant="default"
            size="xs"
            onClick={onResetFactor}
            aria-label={`Remove the second factor of ${member.name}`}
          >
            Remove the second factor
          </Button>
        )}
        <Button
          variant="default"
          size="xs"
          onClick={onAttributes}
          aria-label={`Attributes of ${member.name}`}
        >
          Attributes
        </Button>
        {!isMe && (
          <Button variant="default" size="xs" onClick={onSeeAs} aria-label={`See as ${member.name}`}>
            See as
          </Button>
        )}
        {!isMe && (
          <Button variant="default" size="xs" onClick={onRemove} aria-label={`Remove ${member.name}`}>
            Remove
          </Button>
        )}
      </>
    }
  >
    {!member.isService && <span>{member.email}</span>}
    <span>
      Since <Timestamp at={member.createdAt} format="date" />
    </span>
    {member.hasSecondFactor && <span>Has a second factor</span>}
  </Item>
);

interface RoleFieldProps {
  member: Member;
  onChange: (role: Role) => void;
}

/** Asks for a confirmation, because arrow keys choose each role on the way to another. */
function RoleField({ member, onChange }: RoleFieldProps) {
  const [chosen, setChosen] = useState<Role>(member.role);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`Role of ${member.name}`}
        data={roles}
        value={chosen}
        onChange={({ currentTarget }) =>
          setChosen(roles.find(({ value }) => value === currentTarget.value)?.value ?? member.role)
        }
      />
      {chosen !== member.role && (
        <Button size="xs" onClick={() => onChange(chosen)} aria-label={`Change the role of ${member.name}`}>
          Change the role
        </Button>
      )}
    </>
  );
}
