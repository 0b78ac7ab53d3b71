import { SimpleGrid, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pluralize } from "../../format/pluralize.ts";
import { CodeBlock } from "../../ui/copyable.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./attempts.module.css";
import { type Attempt, type DeliveryDetail, milliseconds, outcomeText } from "./delivery-labels.ts";

interface AttemptTimelineProps {
  delivery: DeliveryDetail;
  /** The number of the attempt that is shown below. */
  open: number | undefined;
}

/** The attempts of a delivery in order. Each is a link to its request and response. */
export function AttemptTimeline({ delivery, open }: AttemptTimelineProps) {
  const { id, attempts, nextAttemptAt, attemptCount, kind } = delivery;
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {nextAttemptAt ? "The first attempt is on its way…" : "It was never sent."}
      </Text>
    );
  }
  return (
    <ol className={classes.timeline}>
      {attempts.map(({ number, outcome, sentence, endedAt, timings }) => (
        <li key={number} className={classes.attempt} data-good={outcome === "success"}>
          <Link
            to="/settings/webhooks/deliveries/$deliveryId"
            params={{ deliveryId: id }}
            search={{ attempt: number }}
            replace
            resetScroll={false}
            className={classes.link ?? ""}
            aria-current={number === open ? "true" : undefined}
          >
            <strong>
              Attempt {number}: {outcomeText(outcome)}
            </strong>
            <span className={classes.quiet}>
              <Timestamp at={endedAt} /> · {milliseconds(timings.total)}
            </span>
            <span className={classes.sentence}>{sentence}</span>
          </Link>
        </li>
      ))}
      {nextAttemptAt && kind !== "test" && (
        <li className={classes.attempt} data-next>
          <span className={classes.quiet}>
            Attempt {attemptCount + 1} of 8 follows <Timestamp at={nextAttemptAt} format="relative" />
          </span>
        </li>
      )}
    </ol>
  );
}

interface AttemptDetailProps {
  attempt: Attempt;
  /** The body as it was sent. */
  body: string;
}

/** One attempt: its request, its response and its timings. */
export const AttemptDetail = ({ attempt, body }: AttemptDetailProps) => (
  <Section title={`Attempt ${attempt.number}`} description={attempt.sentence}>
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <div>
        <Heading>Request</Heading>
        <CodeBlock code={requestText(attempt)} what="the request’s headers" wraps />
        <Heading>Body</Heading>
        <CodeBlock code={indented(body)} what="the request’s body" wraps />
      </div>
      <div>
        <Heading>Response</Heading>
        <Response attempt={attempt} />
      </div>
    </SimpleGrid>
    <Text size="sm" c="dimmed" mt="md">
      {timingText(attempt)}
    </Text>
  </Section>
);

const Heading = ({ children }: { children: ReactNode }) => (
  <Title order={3} size="h6" mt="sm" mb={4}>
    {children}
  </Title>
);

function Response({ attempt: { response } }: { attempt: Attempt }) {
  if (!response) return <Text size="sm">None came.</Text>;
  const lines = response.headers.map(({ name, value }) => `${name}: ${value}`);
  return (
    <>
      <CodeBlock
        code={[`HTTP ${response.status}`, ...lines].join("\n")}
        what="the response’s headers"
        wraps
      />
      <Heading>Body</Heading>
      {response.body === "" ? (
        <Text size="sm">Empty.</Text>
      ) : (
        <CodeBlock code={response.body} what="the response’s body" wraps />
      )}
      {endText[response.bodyEnd] && (
        <Text size="sm" c="dimmed" mt={4}>
          {endText[response.bodyEnd]} {pluralize(response.bodyBytes, "byte")} came.
        </Text>
      )}
    </>
  );
}

const endText: Record<NonNullable<Attempt["response"]>["bodyEnd"], string | undefined> = {
  complete: undefined,
  cut: "Only the beginning is kept.",
  deadline: "The rest did not come within 10 seconds.",
  broken: "The connection broke before its end.",
};

const requestText = ({ url, requestHeaders }: Attempt): string =>
  [
    `POST ${url ?? "(the address is not known any more)"}`,
    ...requestHeaders.map(({ name, value }) => `${name}: ${value}`),
  ].join("\n");

/** Formats JSON for reading. The signature covers the bytes as sent, which the signature debugger shows. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function timingText({ timings, address, reusedConnection }: Attempt): string {
  const steps = [
    ["name look-up", timings.dns],
    ["connecting", timings.connect],
    ["TLS", timings.tls],
    ["until the answer began", timings.firstByte],
    ["in all", timings.total],
  ] as const;
  const times = steps.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${milliseconds(ms)}`]));
  const where =
    address === null
      ? ""
      : `Connected to ${address}${reusedConnection ? ", on a connection kept open" : ""}. `;
  return `${where}${times.join(", ")}.`;
}
