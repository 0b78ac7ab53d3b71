import type { ScimListQuery } from "@querybell/domain";
import { z } from "zod";

/** An error in the form that SCIM prescribes. */
export class ScimError extends Error {
  override readonly name = "ScimError";
  readonly status: number;
  readonly scimType: string | undefined;

  constructor(status: number, detail: string, scimType?: string) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export const notFound = (): ScimError => new ScimError(404, "There is no such resource.");

const comparison = /^\s*([\w.]+)\s+eq\s+(?:"((?:[^"\\]|\\.)*)"|(true|false))\s*$/i;

/** The one kind of filter that providers use to find a resource: `userName eq "ann@example.com"`. */
export function readFilter<Name extends string>(
  filter: string | undefined,
  attributes: readonly Name[],
): { attribute: Name; value: string } | undefined {
  if (filter === undefined || filter.trim() === "") return undefined;
  const [, name = "", text] = comparison.exec(filter) ?? [];
  const attribute = attributes.find((one) => one.toLowerCase() === name.toLowerCase());
  if (attribute === undefined || text === undefined) {
    throw new ScimError(400, `Only filters like ${attributes[0]} eq "value" are supported.`, "invalidFilter");
  }
  return { attribute, value: text.replaceAll(/\\(.)/g, "$1") };
}

export interface ScimList<Resource> {
  total: number;
  startIndex: number;
  resources: Resource[];
}

const maxCount = 200;

/** A page of a list. SCIM counts from 1. */
export const toPage = ({ startIndex, count }: Pick<ScimListQuery, "startIndex" | "count">) => ({
  skip: Math.max(1, startIndex) - 1,
  take: Math.min(Math.max(0, count), maxCount),
});

/** An id that is none finds nothing. */
export const whereId = (id: string) => ({ id: z.uuid().safeParse(id).success ? id : { in: [] as string[] } });
