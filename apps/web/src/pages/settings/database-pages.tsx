import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { DatabaseAccess } from "../../access/database-access.tsx";
import { GroupRolesSection, RowPoliciesSection } from "../../access/row-rights.tsx";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { NotFound } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { DatabaseForm } from "./database-form.tsx";
import { emptyDatabase, toChange, toConnection, toValues } from "./database-values.ts";

export function NewDatabasePage() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title="Add a database"
        description="Test the connection before you save it: the test says what fails."
      />
      <DatabaseForm
        initialValues={emptyDatabase}
        submit={{ label: "Add the database", busy: "Adding it…" }}
        onSubmit={async (values) => {
          const { name, limits } = values;
          const connection = toConnection(values);
          const { warnings } = await api.databases.create.mutate({ name, connection, limits });
          await queryClient.invalidateQueries(trpc.databases.pathFilter());
          notifications.show({ message: `${name} is added. Queries can use it now.` });
          showWarnings(name, warnings);
          await navigate({ to: "/settings/databases" });
        }}
      />
    </>
  );
}

/** Warnings stay until the user closes them. */
function showWarnings(name: string, warnings: readonly string[]): void {
  for (const message of warnings) {
    notifications.show({ title: `About ${name}`, message, color: "amber", autoClose: false });
  }
}

const route = getRouteApi("/app/settings/databases/$databaseId");

export function EditDatabasePage() {
  const { databaseId: id } = route.useParams();
  const navigate = useNavigate();
  const { data: databases, error, refetch } = useQuery(trpc.databases.describe.queryOptions());
  if (error && !databases) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!databases) return <LoadingFrame />;
  const database = databases.find((one) => one.id === id);
  if (!database) return <NotFound>There is no such database here. It may have been deleted.</NotFound>;
  return (
    <>
      <PageHeader title={`Edit ${database.name}`} description="Runs in progress are not affected." />
      <DatabaseForm
        saved={database}
        initialValues={toValues(database)}
        submit={{ label: "Save", busy: "Saving…" }}
        onSubmit={async (values) => {
          const { warnings } = await api.databases.update.mutate({
            id,
            name: values.name,
            connection: toChange(values),
            limits: values.limits,
          });
          await queryClient.invalidateQueries(trpc.databases.pathFilter());
          notifications.show({ message: `${values.name} is saved.` });
          showWarnings(values.name, warnings);
          await navigate({ to: "/settings/databases" });
        }}
      />
      <DatabaseAccess databaseId={id} />
      <RowPoliciesSection databaseId={id} />
      {database.connection.engine === "postgres" && <GroupRolesSection databaseId={id} />}
    </>
  );
}
