import { Button } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../../api.ts";
import { showFailure } from "../../errors/error-notice.tsx";
import { formatBytes } from "../../format/bytes.ts";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

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
        {waiting.map((upload) => (
          <WaitingFile
            key={upload.id}
            upload={upload}
            onChoose={() => onChoose(upload.id)}
            onDiscard={() => discard.mutate({ id: upload.id })}
          />
        ))}
      </ItemList>
    </Section>
  );
}

interface WaitingFileProps {
  upload: Upload;
  onChoose: () => void;
  onDiscard: () => void;
}

function WaitingFile({ upload, onChoose, onDiscard }: WaitingFileProps) {
  const { id, fileName, bytes, createdAt } = upload;
  // Only shows a cached refusal: requesting a preview would read the file.
  const { data: preview } = useQuery(
    trpc.uploads.preview.queryOptions(
      { id, reading: {}, types: {}, answersRefusal: true },
      { enabled: false },
    ),
  );
  return (
    <Item
      title={fileName}
      actions={
        <>
          <Button size="xs" aria-label={`Import ${fileName}`} onClick={onChoose}>
            Import
          </Button>
          <Button size="xs" variant="default" aria-label={`Discard ${fileName}`} onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      {preview?.refusal && <span>It cannot be read as it is</span>}
      <span>{formatBytes(bytes)}</span>
      <span>
        Uploaded <Timestamp at={createdAt} format="relative" />
      </span>
    </Item>
  );
}
