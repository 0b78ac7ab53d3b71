import { Container } from "@mantine/core";
import { CreateOrganizationForm } from "../pages/account/create-organization-form.tsx";
import { PageHeader } from "../ui/page-header.tsx";

/** For a user who belongs to no organization. */
export const NoOrganization = () => (
  <Container size="sm" p={0} m={0}>
    <PageHeader
      title="You belong to no organization"
      description="Create one for your team, or ask an admin of your team’s organization for an invitation."
    />
    <CreateOrganizationForm />
  </Container>
);
