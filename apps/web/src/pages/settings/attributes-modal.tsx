import { Skeleton, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ActionForm } from "../../ui/action-form.tsx";
import { Dialog } from "../../ui/dialog.tsx";

type Member = Outputs["members"]["list"][number];
type Attributes = Outputs["members"]["attributes"];

interface AttributesModalProps {
  member: Member;
  onClose: () => void;
}

/** What is said about a member, for placeholders of queries. */
export function AttributesModal({ member, onClose }: AttributesModalProps) {
  const { userId, name } = member;
  const { data, error } = useQuery(trpc.members.attributes.queryOptions({ userId }, { gcTime: 0 }));
  return (
    <Dialog onClose={onClose} title={`Attributes of ${name}`}>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Skeleton height={120} />}
      {data && <AttributesForm userId={userId} attributes={data} onSaved={onClose} />}
    </Dialog>
  );
}

interface AttributesFormProps {
  userId: string;
  attributes: Attributes;
  onSaved: () => void;
}

function AttributesForm({ userId, attributes, onSaved }: AttributesFormProps) {
  const form = useForm({
    initialValues: { text: toText(attributes) },
    validate: {
      text: (text) => (toAttributes(text) ? null : "Write one attribute on each line: region = north"),
    },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Save the attributes", busy: "Saving…" }}
      onSubmit={async ({ text }) => {
        await api.members.setAttributes.mutate({ userId, attributes: toAttributes(text) ?? {} });
        await queryClient.invalidateQueries(trpc.members.pathFilter());
        notifications.show({ message: "Saved. Queries use them within five seconds." });
        onSaved();
      }}
    >
      <Textarea
        label="Attributes"
        description="One on each line. region = north is the value of {{user_attribute_region}} when this person runs a query."
        autosize
        minRows={3}
        data-autofocus
        mb="md"
        {...form.getInputProps("text")}
      />
    </ActionForm>
  );
}

const toText = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name} = ${value}`)
    .join("\n");

/** Undefined if a line has no value. */
function toAttributes(text: string): Attributes | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = line.indexOf("=");
    return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()] as const;
  });
  return pairs.some(([name, value]) => name === "" || value === "") ? undefined : Object.fromEntries(pairs);
}
