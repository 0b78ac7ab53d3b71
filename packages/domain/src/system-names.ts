/** The values that Querybell fills in for the person who runs a query. Nobody sends or defines them. */
export type SystemValues = Readonly<Record<string, string | readonly string[]>>;

const attributePrefix = "user_attribute_";

/** Whether a placeholder is filled in with who runs the query. */
export const isSystemName = (name: string): boolean =>
  name === "user_email" || name === "user_groups" || name.startsWith(attributePrefix);

/** The placeholder of a member's attribute. */
export const attributePlaceholder = (name: string): string => `${attributePrefix}${name}`;
