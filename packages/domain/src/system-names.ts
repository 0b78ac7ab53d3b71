/** The values that Querybell fills in for the person who runs a query. Nobody sends or defines them. */
export type SystemValues = Readonly<Record<string, string | readonly string[]>>;

const attributePrefix = "user_attribute_";

/**
 * Whether a placeholder is filled in with who runs the query. In other letters than small ones it is reserved too, and has no
 * value: nobody can define what looks like one of these.
 */
export const isSystemName = (name: string): boolean => {
  const small = name.toLowerCase();
  return small === "user_email" || small === "user_groups" || small.startsWith(attributePrefix);
};

/** The placeholder of a member's attribute. */
export const attributePlaceholder = (name: string): string => `${attributePrefix}${name}`;
