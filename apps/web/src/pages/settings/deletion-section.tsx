import { Alert, Button, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { useMe } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

const refresh = () => queryClient.invalidateQueries(trpc.organizationDeletion.find.queryFilter());

/** Asks for the deletion of the organization, or cancels it. */
export function DeletionSection() {
  const { data, error, refetch } = useQuery(trpc.organizationDeletion.find.queryOptions());
  if (error && data === undefined) return <ErrorNotice error={error} onRetry={refetch} />;
  if (data === undefined) return <LoadingFrame />;
  return (
    <Section
      title="Delete the organization"
      description="Queries, charts, automations, results, uploaded files, credentials and the audit log: all of it is deleted two weeks after the request, for good. All owners are told, and each of them can cancel it until then."
    >
      {data ? <Requested dueAt={data.dueAt} /> : <RequestForm />}
    </Section>
  );
}

function RequestForm() {
  const { organization } = useMe();
  const form = useForm({
    initialValues: { name: "" },
    validate: {
      name: (name) =>
        name.trim() === organization.name ? null : `Type the name of the organization: ${organization.name}`,
    },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Request the deletion", busy: "Requesting it…" }}
      onSubmit={async (values) => {
        await api.organizationDeletion.request.mutate(values);
        await refresh();
        notifications.show({ message: "The deletion is requested. All owners are told." });
      }}
    >
      <TextInput
        label="Name of the organization"
        description={`To confirm, type ${organization.name}.`}
        autoComplete="off"
        maxLength={200}
        maw="28rem"
        mb="md"
        {...form.getInputProps("name")}
      />
    </ActionForm>
  );
}

function Requested({ dueAt }: { dueAt: string }) {
  const cancel = useMutation(trpc.organizationDeletion.cancel.mutationOptions({ onSuccess: refresh }));
  return (
    <>
      <Alert mb="md" title="This organization will be deleted">
        <Text size="sm">
          The deletion begins <Timestamp at={dueAt} />. Export what you want to keep before.
        </Text>
      </Alert>
      {cancel.error && <ErrorNotice error={cancel.error} />}
      <Button aria-disabled={cancel.isPending} onClick={() => !cancel.isPending && cancel.mutate()}>
        Cancel the deletion
      </Button>
    </>
  );
}
