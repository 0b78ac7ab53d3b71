import { List, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { settingsPages } from "../../frame/navigation.ts";
import { useMe } from "../../session/me.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";

/** The tabs of the settings pages, for admins. */
export const SettingsLayout = () => (
  <RequireAdmin title="Settings">
    <TabLinks label="Settings" tabs={settingsPages} />
    <Outlet />
  </RequireAdmin>
);

interface RequireAdminProps {
  /** What the page is for: "Webhooks". */
  title: string;
  children: ReactNode;
}

/** Shows a page to admins and owners. Members see whom to ask. The api checks the role itself. */
function RequireAdmin({ title, children }: RequireAdminProps) {
  return useMe().isAdmin ? children : <WhoCanHelp title={title} />;
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
          ?.filter(({ role }) => role !== "member")
          .map(({ userId, name, email, role }) => (
            <List.Item key={userId}>
              {name} ({role}), <a href={`mailto:${email}`}>{email}</a>
            </List.Item>
          ))}
      </List>
    </>
  );
}
