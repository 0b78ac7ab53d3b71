import { Button, Group, Progress, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { formatOf } from "@querybell/domain/upload-formats";
import { IconFileUpload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { organizationHeaders, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { createUnanswered, Failure } from "../../errors/failure.ts";
import { formatBytes } from "../../format/bytes.ts";
import classes from "./file-drop.module.css";

const endings = ".csv,.tsv,.jsonl,.ndjson,.parquet";

interface FileDropProps {
  maxFileBytes: number;
  onUploaded: (id: string) => void;
}

/** The drop zone for files. Shows the progress of the upload. */
export function FileDrop({ maxFileBytes, onUploaded }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const cancelled = useRef<AbortController>(undefined);
  const hint = useId();
  const [isOver, setIsOver] = useState(false);
  const [sent, setSent] = useState(0);
  const upload = useMutation({
    mutationFn: async (file: File) => {
      refuseEarly(file, maxFileBytes);
      setSent(0);
      cancelled.current = new AbortController();
      return sendFile(file, { onProgress: setSent, signal: cancelled.current.signal });
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries(trpc.uploads.pathFilter());
      onUploaded(id);
    },
  });
  // Leaving the page aborts the upload.
  useEffect(() => () => cancelled.current?.abort(), []);

  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? [];
    if (file && !upload.isPending) upload.mutate(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <section
      className={classes.drop}
      data-over={isOver}
      aria-label="Upload a file"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {upload.isPending ? (
        <Sending name={upload.variables.name} sent={sent} onCancel={() => cancelled.current?.abort()} />
      ) : (
        <>
          <IconFileUpload size={32} stroke={1.4} aria-hidden />
          <Text>Drop a file here, or</Text>
          <input
            ref={input}
            type="file"
            hidden
            aria-label="File"
            accept={endings}
            onChange={(event) => {
              take(event.currentTarget.files);
              event.currentTarget.value = "";
            }}
          />
          <Button onClick={() => input.current?.click()} aria-describedby={hint}>
            Choose a file
          </Button>
          <Text size="sm" c="dimmed" id={hint}>
            CSV with column names in its first line, JSON lines, or Parquet, up to {formatBytes(maxFileBytes)}
            .
          </Text>
        </>
      )}
      {upload.error && <ErrorNotice error={upload.error} />}
    </section>
  );
}

function Sending({ name, sent, onCancel }: { name: string; sent: number; onCancel: () => void }) {
  const percent = Math.round(sent * 100);
  return (
    <>
      <Text role="status">{percent < 100 ? `Uploading ${name}: ${percent} %` : `Storing ${name}…`}</Text>
      <Progress value={percent} aria-label={`Upload of ${name}`} w="100%" maw="24rem" />
      <Group>
        <Button variant="default" size="xs" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </>
  );
}

/** Checks what the api would refuse, before anything is sent. */
function refuseEarly({ name, size }: File, maxFileBytes: number): void {
  if (formatOf(name) === undefined) {
    throw new Failure(
      `${name} is no CSV, JSON lines or Parquet file. Its name must end in ${endings.replaceAll(",", ", ")}.`,
    );
  }
  if (size > maxFileBytes) {
    throw new Failure(
      `${name} has ${formatBytes(size)}. A file may have ${formatBytes(maxFileBytes)}: split it, or ask the operator for more.`,
    );
  }
}

type Upload = Outputs["uploads"]["overview"]["waiting"][number];

interface SendOptions {
  /** From 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
}

/** Sends a file with XMLHttpRequest, because `fetch` does not report upload progress. */
function sendFile(file: File, { onProgress, signal }: SendOptions): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
    for (const [name, value] of Object.entries(organizationHeaders())) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(createUnanswered());
    request.onabort = () => reject(new Failure("The upload was cancelled."));
    request.onload = () => {
      if (request.status === 201) resolve(request.response);
      else if (request.response?.detail) reject(new Failure(request.response.detail, request.response.code));
      else reject(createUnanswered());
    };
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
