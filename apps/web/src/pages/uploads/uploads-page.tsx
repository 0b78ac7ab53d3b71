import { Alert, Progress, Skeleton, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconFileOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatBytes } from "../../format/bytes.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { FileDrop } from "./file-drop.tsx";
import { ImportFile } from "./import-file.tsx";
import { TableList } from "./table-list.tsx";
import { WaitingFiles } from "./waiting-files.tsx";

type Overview = Outputs["uploads"]["overview"];

const route = getRouteApi("/app/uploads");

/** Uploads files and lists the tables made of them. */
export function UploadsPage() {
  const { file } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: overview, error, refetch } = useQuery(trpc.uploads.overview.queryOptions());
  const choose = (id: string) => void navigate({ search: { file: id } });
  const leave = () => navigate({ search: {} });
  const waiting = overview?.waiting.find(({ id }) => id === file);
  // The button that led here is gone. Without this, people who use the keyboard would begin at the top of the page.
  const shown = useRef(file);
  useEffect(() => {
    const isSame = shown.current === file;
    shown.current = file;
    if (!isSame && document.activeElement === document.body) document.getElementById("page")?.focus();
  }, [file]);
  return (
    <>
      <PageHeader
        title="Your data"
        description="Upload a CSV, Excel, JSON or Parquet file. It becomes a table that every member of the organization can query."
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!overview && !error && <Skeleton height={220} />}
      {overview && waiting && (
        <ImportFile key={waiting.id} upload={waiting} tables={overview.tables} onLeave={leave} />
      )}
      {overview && file !== undefined && !waiting && <FileGone onClose={() => void leave()} />}
      {overview && !waiting && <Uploads overview={overview} onChoose={choose} />}
    </>
  );
}

/** For the address of a file that is no longer waiting, such as one from a bookmark. */
const FileGone = ({ onClose }: { onClose: () => void }) => (
  <Alert
    role="alert"
    color="amber"
    variant="light"
    icon={<IconFileOff />}
    mb="md"
    withCloseButton
    closeButtonLabel="Close"
    onClose={onClose}
  >
    This file is no longer waiting: it was imported or discarded, or it was deleted because nobody imported it
    within a day. If its table is not below, upload the file again.
  </Alert>
);

function Uploads({ overview, onChoose }: { overview: Overview; onChoose: (id: string) => void }) {
  const { tables, waiting, mayChange, maxFileBytes } = overview;
  return (
    <>
      {mayChange ? (
        <FileDrop maxFileBytes={maxFileBytes} onUploaded={onChoose} />
      ) : (
        <Text mb="lg">Only admins upload files in this organization. You can query the tables.</Text>
      )}
      {mayChange && waiting.length > 0 && <WaitingFiles waiting={waiting} onChoose={onChoose} />}
      <TableList tables={tables} databaseId={overview.databaseId} mayChange={mayChange} />
      <Quota overview={overview} />
    </>
  );
}

function Quota({ overview: { usedBytes, quotaBytes } }: { overview: Overview }) {
  const used = `${formatBytes(usedBytes)} of ${formatBytes(quotaBytes)} used`;
  return (
    <>
      <Progress value={(usedBytes / quotaBytes) * 100} aria-label={used} maw="20rem" mt="lg" />
      <Text size="sm" c="dimmed" mt={4}>
        {used}
      </Text>
    </>
  );
}
