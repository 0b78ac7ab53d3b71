import type { Outputs } from "@querybell/client";

export type EventType = Outputs["webhookEndpoints"]["eventTypes"][number];
type EndpointFilter = NonNullable<Outputs["webhookEndpoints"]["get"]["filter"]>;
type EventCondition = EndpointFilter["conditions"][number];
export type FilterOperator = EventCondition["operator"];

export const conditionOperators: Record<FilterOperator, string> = {
  equals: "equals",
  not_equals: "does not equal",
  less: "is less than",
  at_most: "is at most",
  more: "is more than",
  at_least: "is at least",
  contains: "contains",
  is_empty: "is empty",
};

/** "of Revenue or in the folder Sales", "facts.value is more than 100". */
export function describeFilter({ automations, folders, conditions }: EndpointFilter): string[] {
  const places = [
    ...automations.map(({ name }) => (name === null ? "of a deleted automation" : `of ${name}`)),
    ...folders.map(({ name }) => (name === null ? "in a deleted folder" : `in the folder ${name}`)),
  ];
  return [
    ...(places.length > 0 ? [places.join(" or ")] : []),
    ...conditions.map(({ field, operator, value }) =>
      [field, conditionOperators[operator], ...(value === undefined ? [] : [value])].join(" "),
    ),
  ];
}
