import { Button, type ButtonProps } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../../api.ts";
import { showFailure } from "../../../errors/error-notice.tsx";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Whether the page begins with the focus in its editor: the button that opened it is gone. */
    isEditorFocused?: boolean;
  }
}

interface QueryTableButtonProps extends Pick<ButtonProps, "size"> {
  databaseId: string;
  /** The name of the table. */
  name: string;
  sql: string;
  onOpened?: () => void;
}

/** Opens a new draft that reads a table. */
export function QueryTableButton({ databaseId, name, sql, onOpened, ...props }: QueryTableButtonProps) {
  const navigate = useNavigate();
  const creation = useMutation({
    mutationFn: () => api.drafts.create.mutate({ name, sql, analyticalDatabaseConfigId: databaseId }),
    onSuccess: async ({ id }) => {
      onOpened?.();
      await navigate({ to: "/queries/new", search: { draft: id }, state: { isEditorFocused: true } });
    },
    onError: (error) => showFailure("No query created", error),
  });
  return (
    <Button
      {...props}
      aria-label={`Query this table: ${name}`}
      aria-disabled={creation.isPending}
      onClick={() => {
        if (!creation.isPending) creation.mutate();
      }}
    >
      Query this table
    </Button>
  );
}
