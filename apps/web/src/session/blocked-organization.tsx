import { Button, Container, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { startSingleSignOn } from "../pages/account/account.ts";
import { ButtonTo } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { type Me, useSession } from "./me.ts";

/** For a session that does not open its organization: what is missing. */
export function BlockedOrganization({ blocked }: { blocked: NonNullable<Me["blocked"]> }) {
  const { memberships } = useSession();
  const { name = "", slug = "" } =
    memberships.find(({ organizationId }) => organizationId === blocked.organizationId) ?? {};
  if (blocked.by === "other_organization") return <NoLongerMember />;
  if (blocked.by === "single_sign_on") return <NeedsProvider name={name} slug={slug} />;
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title={`${name} demands a second factor`} />
      <Text mb="md">
        Set up a passkey or codes of an app in your account. If you have one already, sign out, and sign in
        with it.
      </Text>
      <Group>
        <ButtonTo to="/account">Open your account</ButtonTo>
      </Group>
    </Container>
  );
}

function NeedsProvider({ name, slug }: { name: string; slug: string }) {
  const start = useMutation({ mutationFn: () => startSingleSignOn({ organization: slug, to: "/" }) });
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title={`${name} is opened by single sign-on`} />
      <Text mb="md">Your session came another way. Sign in through the organization’s provider.</Text>
      {start.error && <ErrorNotice error={start.error} />}
      <Button onClick={() => start.mutate()}>Continue to the provider</Button>
    </Container>
  );
}

const NoLongerMember = () => (
  <Container size="sm" p={0} m={0}>
    <PageHeader title="You are no longer a member" />
    <Text>
      You signed in through the provider of an organization that you do not belong to any more. Sign out, and
      sign in another way.
    </Text>
  </Container>
);
