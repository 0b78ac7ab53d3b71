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
