import { Text } from "@mantine/core";
import { useMe } from "../../components/me.ts";
import { PageHeader } from "../../components/page-header.tsx";

export function HomePage() {
  const { user, organization } = useMe();
  return (
    <>
      <PageHeader title={`Hello, ${user.name}`} description={`${organization.name} (${organization.role})`} />
      <Text>
        The <a href="/docs/">docs</a> say what Querybell can do.
      </Text>
    </>
  );
}
