import { List, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { settingsPages } from "../../frame/navigation.ts";
import { useMe } from "../../session/me.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";

/**
 * The settings pages, for admins and owners, except for "Agents", which everybody needs. Others see whom to ask. The api
 * checks the role itself.
 */
export function SettingsLayout() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { isAdmin } = useMe();
  if (!isAdmin && path !== "/settings/agents") {
    const page = settingsPages.find(({ to }) => path === to || path.startsWith(`${to}/`));
    return <WhoCanHelp title={page?.label ?? "Settings"} />;
  }
  return (
    <>
      {isAdmin && <TabLinks label="Settings" tabs={settingsPages} />}
      <Outlet />
    </>
  );
}

function WhoCanHelp({ title }: { title: string }) {
  const { organization } = useMe();
  const { data: members, error, refetch } = useQuery(trpc.members.list.queryOptions());
  return (
    <>
      <PageHeader title={title} />
      <Text mb="sm">
        Only admins and owners of {organization.name} can open this page. They can help you:
      </Text>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!members && !error && <Skeleton height={60} />}
      <List>
        {members
          ?.filter(({ role }) => role === "admin" || role === "owner")
          .map(({ userId, name, email, role }) => (
            <List.Item key={userId}>
              {name} ({role}), <a href={`mailto:${email}`}>{email}</a>
            </List.Item>
          ))}
      </List>
    </>
  );
}
