import { Button, Modal, NativeSelect, Stack, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ActionForm } from "../../ui/action-form.tsx";
import { ShownOnce } from "../../ui/copyable.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

/** The open invitations. */
export function Invitations() {
  const { data: invitations, error, refetch } = useQuery(trpc.invitations.list.queryOptions());
  const revoke = useMutation(
    trpc.invitations.revoke.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.invitations.pathFilter()),
    }),
  );
  if (error && !invitations) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!invitations || invitations.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4" mt="xl" mb="sm">
        Open invitations
      </Title>
      {revoke.error && <ErrorNotice error={revoke.error} />}
      <ItemList label="Open invitations">
        {invitations.map(({ id, email, role, createdAt, expiresAt }) => (
          <Item
            key={id}
            title={email}
            actions={
              <Button
                variant="default"
                size="xs"
                aria-label={`Take back the invitation of ${email}`}
                onClick={() => revoke.mutate({ id })}
              >
                Take back
              </Button>
            }
          >
            <span>As {role}</span>
            <span>
              Invited <Timestamp at={createdAt} format="relative" />
            </span>
            <span>
              Expires <Timestamp at={expiresAt} format="relative" />
            </span>
          </Item>
        ))}
      </ItemList>
    </>
  );
}

type Created = Outputs["invitations"]["create"];

interface InviteModalProps {
  opened: boolean;
  onClose: () => void;
}

/** Invites an address. The link is shown once, and mailed where the deployment sends mail. Only a button closes it. */
export function InviteModal({ opened, onClose }: InviteModalProps) {
  const [created, setCreated] = useState<Created>();
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Invite somebody"
      size="lg"
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created ? <Invited created={created} onClose={close} /> : <InviteForm onCreated={setCreated} />}
    </Modal>
  );
}

function InviteForm({ onCreated }: { onCreated: (created: Created) => void }) {
  const initialValues: Inputs["invitations"]["create"] = { email: "", role: "member" };
  const form = useForm({
    initialValues,
    validate: { email: (email) => (email.includes("@") ? null : "Enter an email address.") },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Invite", busy: "Inviting…" }}
      onSubmit={async ({ email, role }) => {
        const created = await api.invitations.create.mutate({ email: email.trim(), role });
        await queryClient.invalidateQueries(trpc.invitations.pathFilter());
        onCreated(created);
      }}
    >
      <Stack mb="md">
        <TextInput label="Email address" type="email" data-autofocus {...form.getInputProps("email")} />
        <NativeSelect label="Role" data={roles} {...form.getInputProps("role")} />
      </Stack>
    </ActionForm>
  );
}

const Invited = ({ created: { email, link }, onClose }: { created: Created; onClose: () => void }) => (
  <>
    <ShownOnce title={`${email} can join with this link`} value={link.url} what="the link">
      {link.mailed
        ? "It has been mailed to them, too. "
        : "No mail is sent from here: give it to them yourself. "}
      It works once, until <Timestamp at={link.expiresAt} />.
    </ShownOnce>
    <Button onClick={onClose}>Done</Button>
  </>
);

/** The roles of a member. */
export const roles = [
  { value: "viewer", label: "Viewer" },
  { value: "member", label: "Member" },
  { value: "admin", label: "Admin" },
  { value: "owner", label: "Owner" },
] as const;
