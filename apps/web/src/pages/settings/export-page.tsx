import { Alert } from "@mantine/core";
import { useMe } from "../../session/me.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { DeletionSection } from "./deletion-section.tsx";
import { ExportSection } from "./export-section.tsx";

/** What owners do with everything of the organization at once. */
export function ExportPage() {
  const { organization } = useMe();
  return (
    <>
      <PageHeader
        title="Export and deletion"
        description={`Take everything of ${organization.name} with you, or delete it.`}
      />
      {organization.role === "owner" ? (
        <>
          <ExportSection />
          <DeletionSection />
        </>
      ) : (
        <Alert>Only owners of the organization can do this. The page Members shows who they are.</Alert>
      )}
    </>
  );
}
