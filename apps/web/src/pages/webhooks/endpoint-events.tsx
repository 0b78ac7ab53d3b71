import { List, Text } from "@mantine/core";
import { Section } from "../../ui/section.tsx";
import type { Endpoint } from "./delivery-labels.ts";
import { describeFilter } from "./event-labels.ts";

/** Which events an endpoint gets. */
export const EndpointEvents = ({
  endpoint: { eventTypes, filter },
}: {
  endpoint: Pick<Endpoint, "eventTypes" | "filter">;
}) => (
  <Section title="Events">
    <List size="sm">
      {eventTypes.map((type) => (
        <List.Item key={type}>
          <code>{type}</code>
        </List.Item>
      ))}
    </List>
    {filter && (
      <>
        <Text size="sm" mt="sm">
          Only those for which all of this holds:
        </Text>
        <List size="sm" aria-label="Filter">
          {describeFilter(filter).map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      </>
    )}
  </Section>
);
