import { Button, NativeSelect, SimpleGrid, Skeleton, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { api, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { shortUrl } from "../../format/addresses.ts";
import { pluralize } from "../../format/pluralize.ts";
import { changeTexts } from "../../format/search-text.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { TimeRangeFields, useAddressText } from "../../ui/time-range-fields.tsx";
import { destinationLabels } from "../destinations/destination-labels.ts";
import { deliveredTypes, deliveryStates, stateNames } from "./delivery-labels.ts";
import classes from "./delivery-list.module.css";
import { DeliveryList } from "./delivery-list.tsx";
import type { DeliverySearch } from "./routes.tsx";
import { WebhookTabs } from "./webhooks-layout.tsx";

const route = getRouteApi("/app/settings/webhooks/deliveries");

export function DeliveriesPage() {
  const { type, state, ...search } = route.useSearch();
  const filter = {
    ...search,
    limit: 50,
    // Values in the address that the api does not know are ignored.
    type: deliveredTypes.find((name) => name === type),
    state: stateNames.find((name) => name === state),
  };
  const { data, error, refetch, ...pages } = useInfiniteQuery({
    queryKey: trpc.webhookDeliveries.search.infiniteQueryKey(filter),
    queryFn: ({ pageParam, signal }) =>
      api.webhookDeliveries.search.query({ ...filter, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Polls only while one page is shown: refetching many pages would cost too much.
    refetchInterval: ({ state: { data: read } }) => ((read?.pages.length ?? 0) > 1 ? false : 3_000),
  });
  const deliveries = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader
        title="Deliveries"
        description="All deliveries, sent and pending. The address of this page contains its filters."
      />
      <WebhookTabs />
      <Filters />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!deliveries && !error && <Skeleton height={300} />}
      {deliveries?.length === 0 && (
        <EmptyState
          title="No deliveries"
          description="None matches these filters. Deliveries appear here as soon as an automation’s run ends."
        />
      )}
      {deliveries && deliveries.length > 0 && (
        <>
          <DeliveryList deliveries={deliveries} showsEndpoint />
          <LoadMore {...pages} shown={pluralize(deliveries.length, "delivery", "deliveries")} />
        </>
      )}
    </>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/settings/webhooks/deliveries" });
  const endpoints = useQuery(trpc.webhookEndpoints.list.queryOptions());
  const destinations = useQuery(trpc.destinations.list.queryOptions());
  const subscriptions = useQuery(trpc.eventSubscriptions.list.queryOptions());
  const [clearCount, setClearCount] = useState(0);
  const change = (changed: { [Name in keyof DeliverySearch]: string | undefined }) =>
    navigate({
      replace: true,
      search: (before) => changeTexts(before, changed),
    });
  return (
    <SimpleGrid cols={{ base: 2, sm: 3 }} mb="md" component="search" verticalSpacing="xs">
      <NativeSelect
        label="Endpoint"
        value={search.endpointId ?? ""}
        onChange={({ currentTarget }) => change({ endpointId: currentTarget.value })}
        data={[
          { value: "", label: "All" },
          ...(endpoints.data ?? []).map(({ id, url }) => ({ value: id, label: shortUrl(url) })),
          ...(destinations.data ?? []).map(({ id, kind, name }) => ({
            value: id,
            label: `${destinationLabels[kind]}: ${name}`,
          })),
          ...(subscriptions.data ?? []).map(({ id, url, event }) => ({
            value: id,
            label: `${shortUrl(url)} (${event})`,
          })),
        ]}
      />
      <NativeSelect
        label="State"
        value={search.state ?? ""}
        onChange={({ currentTarget }) => change({ state: currentTarget.value })}
        data={[
          { value: "", label: "Any" },
          ...stateNames.map((value) => ({ value, label: deliveryStates[value].label })),
        ]}
      />
      <NativeSelect
        label="Event type"
        value={search.type ?? ""}
        onChange={({ currentTarget }) => change({ type: currentTarget.value })}
        data={[{ value: "", label: "Any" }, ...deliveredTypes.map((value) => ({ value, label: value }))]}
      />
      {/* Clearing also drops what is typed there and not yet in the address. */}
      <Fragment key={clearCount}>
        <EventIdField value={search.eventId ?? ""} onChange={(eventId) => change({ eventId })} />
        <TimeRangeFields className={classes.date ?? ""} value={search} onChange={change} />
      </Fragment>
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          justify="flex-start"
          onClick={() => {
            setClearCount(clearCount + 1);
            void navigate({ replace: true, search: {} });
          }}
        >
          Clear the filters
        </Button>
      )}
    </SimpleGrid>
  );
}

interface EventIdFieldProps {
  value: string;
  onChange: (eventId: string) => void;
}

/** Filters by a whole id only: the api refuses a part of one. */
function EventIdField({ value, onChange }: EventIdFieldProps) {
  const [isTyping, setTyping] = useState(false);
  const [text, setText] = useAddressText(value, (typed) => {
    const eventId = typed.trim();
    if (isEmptyOrId(eventId)) onChange(eventId);
  });
  return (
    <TextInput
      label="Event id"
      placeholder="svc-webhook-id"
      value={text}
      error={isTyping || isEmptyOrId(text.trim()) ? null : "Enter the whole id: 36 characters."}
      onFocus={() => setTyping(true)}
      onBlur={() => setTyping(false)}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

const isEmptyOrId = (text: string): boolean => /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/i.test(text);
