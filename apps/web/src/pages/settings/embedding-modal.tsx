import { Modal, NativeSelect, NumberInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { CodeBlock } from "../../ui/copyable.tsx";
import { AnchorTo } from "../../ui/links.tsx";

type EmbeddingKey = Outputs["embedding"]["list"]["keys"][number];

export type EmbeddingDialog = { kind: "create" } | { kind: "change" | "rotate"; key: EmbeddingKey };

interface EmbeddingModalProps {
  dialog: EmbeddingDialog | undefined;
  onClose: () => void;
}

const titles = {
  create: "Add an embedding key",
  change: "Change the embedding key",
  rotate: "Replace the public key",
};

/** Adds an embedding key, changes it, or replaces its public key. */
export const EmbeddingModal = ({ dialog, onClose }: EmbeddingModalProps) => (
  <Modal
    opened={dialog !== undefined}
    onClose={onClose}
    title={dialog === undefined ? "" : titles[dialog.kind]}
    size="lg"
  >
    {dialog?.kind === "rotate" && <RotateForm embeddingKey={dialog.key} onClose={onClose} />}
    {dialog?.kind === "create" && <KeyForm onClose={onClose} />}
    {dialog?.kind === "change" && <KeyForm embeddingKey={dialog.key} onClose={onClose} />}
  </Modal>
);

const commands = `openssl genpkey -algorithm ed25519 -out querybell.pem
openssl pkey -in querybell.pem -pubout`;

const publicKeyField = {
  label: "Public key",
  description: "An Ed25519 key as PEM. It begins with -----BEGIN PUBLIC KEY-----.",
  autosize: true,
  minRows: 4,
  maxLength: 2000,
  spellCheck: false,
};

const HowToMakeKeys = () => (
  <div>
    <Text size="sm" mb="xs">
      Make a key pair on the server of your application. The private key stays there:
    </Text>
    <CodeBlock what="the commands" code={commands} />
  </div>
);

const finish = async (message: string, onClose: () => void) => {
  await queryClient.invalidateQueries(trpc.embedding.pathFilter());
  notifications.show({ message });
  onClose();
};

const toOrigins = (text: string): string[] => text.split(/\s+/).filter((origin) => origin !== "");

function KeyForm({ embeddingKey, onClose }: { embeddingKey?: EmbeddingKey; onClose: () => void }) {
  const { data: members } = useQuery(trpc.members.list.queryOptions());
  const accounts = (members ?? []).filter(({ isService }) => isService);
  const isNew = embeddingKey === undefined;
  const form = useForm({
    initialValues: {
      name: embeddingKey?.name ?? "",
      publicKey: "",
      serviceAccountId: embeddingKey?.serviceAccountId ?? "",
      origins: embeddingKey?.origins.join("\n") ?? "",
      cacheMinutes: embeddingKey?.cacheMinutes ?? 10,
    },
    validate: {
      name: (name) => (name.trim() === "" ? "Give the key a name, like the application that embeds." : null),
      publicKey: (text) => (isNew && text.trim() === "" ? "Paste the public key." : null),
      serviceAccountId: (id) => (id === "" ? "Choose a service account." : null),
      origins: (text) =>
        toOrigins(text).length === 0
          ? "Name the site that shows the frames, like https://app.example.com."
          : null,
    },
  });
  return (
    <ActionForm
      form={form}
      submit={isNew ? { label: "Add the key", busy: "Adding it…" } : { label: "Save", busy: "Saving…" }}
      onSubmit={async ({ publicKey, ...values }) => {
        const changed = { ...values, origins: toOrigins(values.origins) };
        if (isNew) await api.embedding.create.mutate({ ...changed, publicKey });
        else await api.embedding.update.mutate({ ...changed, id: embeddingKey.id });
        await finish(isNew ? "The key is added." : "The key is changed.", onClose);
      }}
    >
      <Stack mb="md">
        <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps("name")} />
        {isNew && <HowToMakeKeys />}
        {isNew && <Textarea {...publicKeyField} {...form.getInputProps("publicKey")} />}
        <NativeSelect
          label="Runs as"
          description="A service account: frames show what it may see. Give it the role viewer, and rights on the folders and databases that are meant for visitors."
          data={[
            { value: "", label: "Choose a service account" },
            ...accounts.map(({ userId, name }) => ({ value: userId, label: name })),
          ]}
          {...form.getInputProps("serviceAccountId")}
        />
        {members && accounts.length === 0 && (
          <Text size="sm">
            There is no service account yet. <AnchorTo to="/settings/keys">Create one at API keys</AnchorTo>.
          </Text>
        )}
        <Textarea
          label="Sites that show the frames"
          description="One in each line, like https://app.example.com. Browsers show the frames nowhere else."
          autosize
          minRows={2}
          spellCheck={false}
          {...form.getInputProps("origins")}
        />
        <NumberInput
          label="How old the data may be, in minutes"
          min={1}
          max={60}
          allowDecimal={false}
          {...form.getInputProps("cacheMinutes")}
        />
      </Stack>
    </ActionForm>
  );
}

function RotateForm({ embeddingKey, onClose }: { embeddingKey: EmbeddingKey; onClose: () => void }) {
  const { id, name } = embeddingKey;
  const form = useForm({
    initialValues: { publicKey: "" },
    validate: { publicKey: (text) => (text.trim() === "" ? "Paste the new public key." : null) },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Replace the public key", busy: "Replacing it…" }}
      onSubmit={async ({ publicKey }) => {
        await api.embedding.rotate.mutate({ id, publicKey });
        await finish(`The public key of ${name} is replaced.`, onClose);
      }}
    >
      <Stack mb="md">
        <Text size="sm">
          What the private key before has signed ends at once, and its frames close. To change without a gap,
          add a second key, sign with it, and revoke this one.
        </Text>
        <HowToMakeKeys />
        <Textarea {...publicKeyField} data-autofocus {...form.getInputProps("publicKey")} />
      </Stack>
    </ActionForm>
  );
}
