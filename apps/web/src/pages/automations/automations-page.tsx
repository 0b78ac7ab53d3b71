import { Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { libraryKinds } from "../../library/library-kinds.ts";
import { LibraryPage } from "../../library/library-page.tsx";
import { isUnfinished } from "../../runs/run-state.tsx";
import { useMe } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AutomationCard } from "./automation-card.tsx";

const whileRunningMs = 2000;
const otherwiseMs = 30_000;

const route = getRouteApi("/app/automations");

/** The automations of the organization, in folders, each with its next and its latest run. */
export function AutomationsPage() {
  const navigate = route.useNavigate();
  const { isMember } = useMe();
  return (
    <>
      <PageHeader
        title="Automations"
        description="An automation runs some charts by itself or when asked, and says what it found."
      >
        {isMember && (
          <ButtonTo to="/automations/new" leftSection={<IconPlus size={16} />}>
            New automation
          </ButtonTo>
        )}
      </PageHeader>
      <LibraryPage
        kind={libraryKinds.automation}
        search={route.useSearch()}
        onChange={(search) => void navigate({ search, replace: true })}
        searchLabel="Search names and instructions"
        refetchMs={(automations) =>
          automations.some(({ latestRun }) => latestRun && isUnfinished(latestRun))
            ? whileRunningMs
            : otherwiseMs
        }
        empty={
          <EmptyState
            title="Nothing runs by itself yet"
            description="Let Querybell look at your charts every morning: it says what has changed, tells whom you choose, and sends a webhook."
          >
            <ButtonTo to="/automations/new">Make the first automation</ButtonTo>
          </EmptyState>
        }
      >
        {(automations, selection) => (
          <Stack component="ul" gap="sm" p={0} m={0} aria-label="Automations">
            {automations.map((automation) => (
              <AutomationCard key={automation.id} automation={automation} selection={selection} />
            ))}
          </Stack>
        )}
      </LibraryPage>
    </>
  );
}
