import { Button, Checkbox, Modal, MultiSelect, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { fromLocalInput, readerZone } from "../../format/times.ts";
import { pathText } from "../../library/folder-tree.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { CodeBlock, ShownOnce } from "../../ui/copyable.tsx";
import { type Scope, scopeLabels } from "./scope-labels.ts";

const dayMs = 86_400_000;
const expiries = [
  { value: "90", label: "In 90 days" },
  { value: "30", label: "In 30 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "At a time of your choice" },
  { value: "never", label: "Never" },
];

interface NewKeyModalProps {
  opened: boolean;
  onClose: () => void;
  initialScopes?: Scope[];
  /** Called with the text of the key. */
  onCreated?: (text: string) => void;
}

/** Creates a key and shows its text once. Closing the dialog discards it, so only a button closes it then. */
export function NewKeyModal({ opened, onClose, initialScopes, onCreated }: NewKeyModalProps) {
  const [text, setText] = useState<string>();
  const close = () => {
    setText(undefined);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={text === undefined ? "Create a key" : "Your new key"}
      size="lg"
      closeOnClickOutside={text === undefined}
      closeOnEscape={text === undefined}
    >
      {text === undefined ? (
        <NewKeyForm
          initialScopes={initialScopes}
          onCreated={(created) => {
            setText(created);
            onCreated?.(created);
          }}
        />
      ) : (
        <CreatedKey text={text} onClose={close} />
      )}
    </Modal>
  );
}

const noFolder = "none";

interface NewKeyFormProps {
  initialScopes?: Scope[] | undefined;
  onCreated: (text: string) => void;
}

function NewKeyForm({ initialScopes = ["queries:read"], onCreated }: NewKeyFormProps) {
  const { data: members } = useQuery(trpc.members.list.queryOptions());
  const { data: databases } = useQuery(trpc.databases.list.queryOptions());
  const { data: folders } = useQuery(trpc.folders.list.queryOptions());
  const form = useForm({
    initialValues: {
      name: "",
      scopes: initialScopes,
      expiry: "90",
      expiresAt: "",
      actsFor: "",
      databaseIds: [] as string[],
      folderIds: [] as string[],
    },
    validate: {
      name: (name) => (name.trim() === "" ? "Give the key a name, like the program that will use it." : null),
      scopes: (chosen) => (chosen.length === 0 ? "Choose at least one scope." : null),
      expiresAt: (at, { expiry }) =>
        expiry === "date" && fromLocalInput(at) === undefined ? "Choose a day and a time." : null,
    },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Create the key", busy: "Creating it…" }}
      onSubmit={async ({ name, scopes, expiry, expiresAt, actsFor, databaseIds, folderIds }) => {
        const at = expiryOf(expiry, expiresAt);
        const { key } = await api.keys.create.mutate({
          name,
          scopes,
          ...(at && { expiresAt: at }),
          ...(actsFor !== "" && { serviceAccountId: actsFor }),
          ...(databaseIds.length > 0 && { databaseIds }),
          ...(folderIds.length > 0 && { folderIds: folderIds.map((id) => (id === noFolder ? null : id)) }),
        });
        await queryClient.invalidateQueries(trpc.keys.pathFilter());
        onCreated(key);
      }}
    >
      <Stack mb="md">
        <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps("name")} />
        <Checkbox.Group label="Scopes" {...form.getInputProps("scopes")}>
          <Stack gap="xs" mt="xs">
            {scopeLabels.map(({ value, label, description }) => (
              <Checkbox key={value} value={value} label={`${label} (${value})`} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label="Acts for"
          description="With the rights of a service account, a key does not depend on you."
          data={[
            { value: "", label: "You" },
            ...(members ?? [])
              .filter(({ isService }) => isService)
              .map(({ userId, name }) => ({ value: userId, label: name })),
          ]}
          {...form.getInputProps("actsFor")}
        />
        <MultiSelect
          label="Databases"
          placeholder={form.values.databaseIds.length === 0 ? "All" : ""}
          searchable
          data={(databases ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps("databaseIds")}
        />
        <MultiSelect
          label="Folders"
          description="With the folders in them."
          placeholder={form.values.folderIds.length === 0 ? "All" : ""}
          searchable
          limit={50}
          data={[
            { value: noFolder, label: "What is in no folder" },
            ...(folders ?? []).map(({ id }) => ({ value: id, label: pathText(folders ?? [], id) })),
          ]}
          {...form.getInputProps("folderIds")}
        />
        <NativeSelect label="Expires" data={expiries} {...form.getInputProps("expiry")} />
        {form.values.expiry === "date" && (
          <TextInput
            type="datetime-local"
            label={`Expires at (${readerZone()})`}
            {...form.getInputProps("expiresAt")}
          />
        )}
      </Stack>
    </ActionForm>
  );
}

function expiryOf(expiry: string, expiresAt: string): string | undefined {
  if (expiry === "never") return undefined;
  if (expiry === "date") return fromLocalInput(expiresAt);
  return new Date(Date.now() + Number(expiry) * dayMs).toISOString();
}

const CreatedKey = ({ text, onClose }: { text: string; onClose: () => void }) => (
  <>
    <ShownOnce title="Copy the key now: it is not shown again" value={text} what="the key">
      Store it with the other secrets of your program, never in its source code.
    </ShownOnce>
    <Text size="sm" mb="xs">
      To check that it works, ask for its owner and scopes:
    </Text>
    <CodeBlock
      what="the command"
      code={`export QUERYBELL_KEY=…\ncurl -H "Authorization: Bearer $QUERYBELL_KEY" ${location.origin}/api/key`}
    />
    <Button mt="lg" onClick={onClose}>
      I have copied it
    </Button>
  </>
);
