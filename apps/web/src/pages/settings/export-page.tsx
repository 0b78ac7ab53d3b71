import { Alert } from "@mantine/core";
import { useMe } from "../../session/me.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { ExportSection } from "./export-section.tsx";

/** What owners do with everything of the organization at once. */
export function ExportPage() {
  const { organization } = useMe();
  return (
    <>
      <PageHeader title="Export" description={`Take everything of ${organization.name} with you.`} />
      {organization.role === "owner" ? (
        <ExportSection />
      ) : (
        <Alert>Only owners of the organization can do this. The page Members shows who they are.</Alert>
      )}
    </>
  );
}
