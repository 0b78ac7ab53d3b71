import { Button, Radio, Skeleton, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FolderAccessDialog } from "../../access/folder-access-dialog.tsx";
import { api, showChange, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pathText } from "../../library/folder-tree.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";

type NewAccess = Outputs["settings"]["get"]["newAccess"];

/** The rights on folders, and those of what is made later. Each database has them on its page. */
export function AccessPage() {
  const settings = useQuery(trpc.settings.get.queryOptions());
  const error = settings.error;
  return (
    <>
      <PageHeader
        title="Access"
        description="Who sees and edits which folder. Admins and owners see everything. The rights on a database are on its own page."
      />
      {error && <ErrorNotice error={error} onRetry={() => void settings.refetch()} />}
      {!settings.data && !error && <Skeleton height={180} />}
      {settings.data && <NewAccessSection newAccess={settings.data.newAccess} />}
      <FolderSection />
    </>
  );
}

function NewAccessSection({ newAccess }: { newAccess: NewAccess }) {
  const form = useForm({ initialValues: { newAccess } });
  return (
    <Section
      title="New databases and folders"
      description="Who has access to a database or a top folder that is made from now on, until somebody changes it. A folder in another one begins with the rights of that one."
    >
      <ActionForm
        form={form}
        submit={{ label: "Save who has access", busy: "Saving it…" }}
        onSubmit={async (values) => {
          const saved = await api.settings.update.mutate(values);
          showChange(trpc.settings.get.queryKey(), saved);
          notifications.show({ message: "Saved." });
        }}
      >
        <Radio.Group label="Who has access" mb="md" {...form.getInputProps("newAccess")}>
          <Stack gap="xs" mt={4}>
            <Radio value="everybody" label="Everybody" />
            <Radio value="nobody" label="Nobody but admins, and whoever made the folder" />
          </Stack>
        </Radio.Group>
      </ActionForm>
    </Section>
  );
}

function FolderSection() {
  const folders = useQuery(trpc.folders.list.queryOptions());
  const [shown, setShown] = useState<{ folder: { id: string; name: string } | null }>();
  const entries = [
    { id: "", name: "What is in no folder", folder: null },
    ...(folders.data ?? []).map((folder) => ({
      id: folder.id,
      name: pathText(folders.data ?? [], folder.id),
      folder,
    })),
  ];
  return (
    <Section
      title="Folders"
      description="A folder without rights of its own has those of the folder around it."
    >
      {folders.error && <ErrorNotice error={folders.error} onRetry={() => void folders.refetch()} />}
      <ItemList label="Folders">
        {entries.map(({ id, name, folder }) => (
          <Item
            key={id}
            title={name}
            actions={
              <Button
                variant="default"
                size="xs"
                aria-label={`Access to ${name}`}
                onClick={() => setShown({ folder })}
              >
                Access
              </Button>
            }
          />
        ))}
      </ItemList>
      {shown && <FolderAccessDialog folder={shown.folder} onClose={() => setShown(undefined)} />}
    </Section>
  );
}
