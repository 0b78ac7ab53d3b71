import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { showFailure } from "../../../errors/error-notice.tsx";

const undoMs = 60_000;

/** Says what was done, and offers to undo it for a minute. */
export function showUndo(message: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    autoClose: undoMs,
    message: (
      <>
        {message}
        <Button
          variant="default"
          size="compact-sm"
          mt="xs"
          display="block"
          onClick={() => {
            notifications.hide(id);
            undo().catch((error: unknown) => showFailure("Not brought back", error));
          }}
        >
          Undo
        </Button>
      </>
    ),
  });
}
