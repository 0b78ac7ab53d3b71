import { Button, Container, Text } from "@mantine/core";
import type { Inputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { trpc } from "../api.ts";
import { LoadingFrame } from "../frame/frames.tsx";
import { useSession } from "../session/me.ts";
import { switchOrganization } from "../session/session-changes.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { NotFound } from "./not-found.tsx";

type Permalink = Inputs["me"]["locatePermalink"];

interface PermalinkNotFoundProps {
  named: Permalink;
  /** The message if the permalink belongs to none of the user's organizations. */
  children?: string;
}

/** Whether the api sent the page because the permalink is in another of the user's organizations. */
export function useIsElsewhere(named: Permalink): boolean {
  const { data } = useQuery({ ...trpc.me.locatePermalink.queryOptions(named), enabled: false });
  const { organizationId } = useSession();
  return data !== undefined && data !== null && data.organizationId !== organizationId;
}

/** Shown for a permalink that is not in this organization. If it is in another of the user's, offers to switch. */
export function PermalinkNotFound({ named, children }: PermalinkNotFoundProps) {
  const { organizationId } = useSession();
  const href = useRouterState({ select: ({ location }) => location.href });
  const { data: found, isPending } = useQuery(trpc.me.locatePermalink.queryOptions(named));
  const change = useMutation({ mutationFn: (id: string) => switchOrganization(id, href) });
  if (isPending) return <LoadingFrame />;
  if (!found || found.organizationId === organizationId) return <NotFound>{children}</NotFound>;
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title={`This is in ${found.name}`} />
      <Text mb="md">You look at another of your organizations at the moment.</Text>
      {change.error && <ErrorNotice error={change.error} />}
      <Button onClick={() => change.mutate(found.organizationId)}>Switch to {found.name}</Button>
    </Container>
  );
}
