import { Alert, Button, Group } from "@mantine/core";
import { IconGitMerge } from "@tabler/icons-react";
import { ButtonTo } from "../../ui/links.tsx";

interface SavedByOthersProps {
  shortId: string;
  /** Saves one's own state in the place of theirs. */
  onSave: () => void;
}

/** Shown when a chart was saved in another window since it was opened in this one. */
export const SavedByOthers = ({ shortId, onSave }: SavedByOthersProps) => (
  <Alert role="alert" color="amber" variant="light" icon={<IconGitMerge />} mb="md">
    Not saved: the chart was saved in another window, or by somebody else, after you opened it here. Saving
    yours replaces what was saved there.
    <Group mt="xs">
      <ButtonTo
        size="compact-sm"
        variant="default"
        to="/q/$shortId"
        params={{ shortId }}
        search={{}}
        target="_blank"
      >
        See theirs
      </ButtonTo>
      <Button size="compact-sm" variant="default" onClick={onSave}>
        Save mine
      </Button>
    </Group>
  </Alert>
);
