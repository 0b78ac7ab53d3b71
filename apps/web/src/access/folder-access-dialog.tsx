import { Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { AccessForm } from "./access-form.tsx";

interface FolderAccessDialogProps {
  /** Null: what is in no folder. */
  folder: { id: string; name: string } | null;
  onClose: () => void;
}

const levels = [
  { value: "see", label: "Sees it" },
  { value: "edit", label: "Sees and edits it" },
] as const;

/** Who sees and edits a folder. For admins. */
export function FolderAccessDialog({ folder, onClose }: FolderAccessDialogProps) {
  const folderId = folder?.id ?? null;
  const access = useQuery(trpc.access.getFolder.queryOptions({ folderId }, { gcTime: 0 }));
  const name = folder ? `“${folder.name}”` : "what is in no folder";
  return (
    <Dialog onClose={onClose} title={`Access to ${name}`} size="lg">
      {access.error && <ErrorNotice error={access.error} onRetry={() => void access.refetch()} />}
      {!access.data && !access.error && <Skeleton height={180} />}
      {access.data && (
        <AccessForm
          grants={access.data.grants}
          levels={levels}
          withoutOwn={folder ? "Those who have access to the folder around it" : "Everybody edits it"}
          onSave={async (grants) => {
            await api.access.setFolder.mutate({ folderId, grants });
            await queryClient.invalidateQueries();
            notifications.show({ message: "Saved. It applies everywhere within five seconds." });
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}
