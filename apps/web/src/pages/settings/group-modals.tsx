import { Modal, MultiSelect, Skeleton, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ActionForm } from "../../ui/action-form.tsx";

type Group = Outputs["groups"]["list"][number];
type Members = Outputs["members"]["list"];

interface NewGroupModalProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (group: Group) => void;
}

const validate = { name: (name: string) => (name.trim() === "" ? "Give the group a name." : null) };

export function NewGroupModal({ opened, onClose, onCreated }: NewGroupModalProps) {
  const form = useForm({ initialValues: { name: "" }, validate });
  return (
    <Modal opened={opened} onClose={onClose} title="Create a group">
      <ActionForm
        form={form}
        submit={{ label: "Create the group", busy: "Creating…" }}
        onSubmit={async ({ name }) => {
          const group = await api.groups.create.mutate({ name: name.trim() });
          await queryClient.invalidateQueries(trpc.groups.pathFilter());
          form.reset();
          onClose();
          onCreated(group);
        }}
      >
        <TextInput label="Name" data-autofocus mb="md" {...form.getInputProps("name")} />
      </ActionForm>
    </Modal>
  );
}

interface EditGroupModalProps {
  group: Group;
  onClose: () => void;
}

/** Renames a group, and chooses its members. */
export function EditGroupModal({ group, onClose }: EditGroupModalProps) {
  const found = useQuery(trpc.groups.get.queryOptions({ groupId: group.id }, { gcTime: 0 }));
  const members = useQuery(trpc.members.list.queryOptions());
  const error = found.error ?? members.error;
  return (
    <Modal opened onClose={onClose} title={`Group ${group.name}`} size="lg">
      {error && <ErrorNotice error={error} />}
      {!error && !(found.data && members.data) && <Skeleton height={180} />}
      {found.data && members.data && (
        <GroupForm group={found.data} members={members.data} onSaved={onClose} />
      )}
    </Modal>
  );
}

interface GroupFormProps {
  group: Outputs["groups"]["get"];
  members: Members;
  onSaved: () => void;
}

function GroupForm({ group: { id: groupId, name, memberIds }, members, onSaved }: GroupFormProps) {
  const form = useForm({ initialValues: { name, memberIds }, validate });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Save the group", busy: "Saving…" }}
      onSubmit={async (values) => {
        if (values.name.trim() !== name)
          await api.groups.rename.mutate({ groupId, name: values.name.trim() });
        const add = values.memberIds.filter((id) => !memberIds.includes(id));
        const remove = memberIds.filter((id) => !values.memberIds.includes(id));
        if (add.length + remove.length > 0) await api.groups.changeMembers.mutate({ groupId, add, remove });
        await queryClient.invalidateQueries(trpc.groups.pathFilter());
        onSaved();
      }}
    >
      <Stack mb="md">
        <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
        <MultiSelect
          label="Members"
          placeholder="Search by name or address"
          searchable
          clearable
          limit={50}
          nothingFoundMessage="Nobody has this name"
          data={members.map((one) => ({ value: one.userId, label: `${one.name} (${one.email})` }))}
          {...form.getInputProps("memberIds")}
        />
      </Stack>
    </ActionForm>
  );
}
