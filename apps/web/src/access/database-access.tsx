import { Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Section } from "../ui/section.tsx";
import { AccessForm } from "./access-form.tsx";

const levels = [
  { value: "run", label: "Runs saved queries" },
  { value: "write", label: "Writes SQL, too" },
] as const;

/** Who uses a database. For admins. */
export function DatabaseAccess({ databaseId }: { databaseId: string }) {
  const access = useQuery(trpc.access.getDatabase.queryOptions({ databaseId }, { gcTime: 0 }));
  return (
    <Section
      title="Access"
      description="Who runs saved queries on this database, and who writes SQL on it and looks at its tables. For all others, it does not exist, nor do the queries on it."
    >
      {access.error && <ErrorNotice error={access.error} onRetry={() => void access.refetch()} />}
      {!access.data && !access.error && <Skeleton height={120} />}
      {access.data && (
        <AccessForm
          grants={access.data.grants}
          levels={levels}
          withoutOwn="Everybody writes SQL on it; viewers run saved queries"
          onSave={async (grants) => {
            await api.access.setDatabase.mutate({ databaseId, grants });
            await queryClient.invalidateQueries(trpc.access.pathFilter());
            notifications.show({ message: "Saved. It applies everywhere within five seconds." });
          }}
        />
      )}
    </Section>
  );
}
