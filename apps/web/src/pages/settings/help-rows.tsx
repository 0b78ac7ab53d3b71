import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Section } from "../../ui/section.tsx";

/** Whether help with SQL sends rows of tables to the model. */
export function HelpRows() {
  const { data: settings } = useQuery(trpc.settings.get.queryOptions());
  const change = useMutation({
    mutationFn: (helpSeesRows: boolean) => api.settings.update.mutate({ helpSeesRows }),
    onSuccess: (changed) => {
      queryClient.setQueryData(trpc.settings.get.queryKey(), changed);
      notifications.show({
        message: changed.helpSeesRows ? "Help with SQL sends rows now." : "Help with SQL sends no rows now.",
      });
    },
  });
  return (
    <Section
      title="Help with SQL"
      description="Members ask the model to write, explain, correct or speed up a statement. It sees the statement, the tables and their descriptions. Its tokens count against the same budget."
    >
      {change.error && <ErrorNotice error={change.error} />}
      <Switch
        label="It also sees rows"
        description="The first five rows of up to three tables that are named. They may hold personal data."
        checked={settings?.helpSeesRows ?? false}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </Section>
  );
}
