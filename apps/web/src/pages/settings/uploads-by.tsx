import { Radio, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { api, queryClient, trpc } from "../../api.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { Section } from "../../ui/section.tsx";

type UploadsBySetting = Outputs["settings"]["get"]["uploadsBy"];

/** Who may upload files and change the tables made of them. */
export function UploadsBy({ uploadsBy }: { uploadsBy: UploadsBySetting }) {
  const form = useForm({ initialValues: { uploadsBy } });
  return (
    <Section
      title="Uploaded files"
      description="Who uploads files, and replaces and drops the tables made of them. Every member can query the tables."
    >
      <ActionForm
        form={form}
        submit={{ label: "Save who uploads", busy: "Saving it…" }}
        onSubmit={async (values) => {
          const saved = await api.settings.update.mutate(values);
          queryClient.setQueryData(trpc.settings.get.queryKey(), saved);
          await queryClient.invalidateQueries(trpc.uploads.pathFilter());
          notifications.show({ message: "Saved." });
        }}
      >
        <Radio.Group label="Who uploads" mb="md" {...form.getInputProps("uploadsBy")}>
          <Stack gap="xs" mt={4}>
            <Radio value="members" label="Every member" />
            <Radio value="admins" label="Admins and owners only" />
          </Stack>
        </Radio.Group>
      </ActionForm>
    </Section>
  );
}
