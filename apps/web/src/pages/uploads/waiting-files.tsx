import { Button } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { queryClient, trpc } from "../../api.ts";
import { Item, ItemList } from "../../components/item-list.tsx";
import { Section } from "../../components/section.tsx";
import { showFailure } from "../../components/show-failure.ts";
import { Timestamp } from "../../components/timestamp.tsx";
import { formatBytes } from "./format-bytes.ts";

type Upload = Outputs["uploads"]["overview"]["waiting"][number];

interface WaitingFilesProps {
  waiting: readonly Upload[];
  onChoose: (id: string) => void;
}

/** Uploaded files that are not imported yet. */
export function WaitingFiles({ waiting, onChoose }: WaitingFilesProps) {
  const discard = useMutation(
    trpc.uploads.discard.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.uploads.pathFilter()),
      onError: (error) => showFailure("Not discarded", error),
    }),
  );
  return (
    <Section
      title="Waiting to be imported"
      description="A file that is not imported within a day is deleted."
    >
      <ItemList label="Waiting files">
        {waiting.map(({ id, fileName, bytes, createdAt }) => (
          <Item
            key={id}
            title={fileName}
            actions={
              <>
                <Button size="xs" aria-label={`Import ${fileName}`} onClick={() => onChoose(id)}>
                  Import
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Discard ${fileName}`}
                  onClick={() => discard.mutate({ id })}
                >
                  Discard
                </Button>
              </>
            }
          >
            <span>{formatBytes(bytes)}</span>
            <span>
              Uploaded <Timestamp at={createdAt} format="relative" />
            </span>
          </Item>
        ))}
      </ItemList>
    </Section>
  );
}
