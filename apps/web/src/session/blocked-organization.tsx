import { Container, Group, Text } from "@mantine/core";
import { ButtonTo } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { type Me, useSession } from "./me.ts";

/** For a session that does not open its organization: what is missing. */
export function BlockedOrganization({ blocked }: { blocked: NonNullable<Me["blocked"]> }) {
  const { memberships } = useSession();
  const name =
    memberships.find(({ organizationId }) => organizationId === blocked.organizationId)?.name ?? "";
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
