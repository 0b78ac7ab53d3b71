import { Container } from "@mantine/core";
import { PageHeader } from "../../ui/page-header.tsx";
import { CreateOrganizationForm } from "./create-organization-form.tsx";

export const CreateOrganizationPage = () => (
  <Container size="sm" p={0} m={0}>
    <PageHeader
      title="Create an organization"
      description="It has queries, members and settings of its own. You will be its owner, and can invite others."
    />
    <CreateOrganizationForm />
  </Container>
);
