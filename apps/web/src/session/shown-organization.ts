import { organizationHeader } from "@querybell/domain/organization-header";

let shown: string | null = null;

/** Sets which organization the page shows. Its calls name it from now on. */
export const setShownOrganization = (organizationId: string | null): void => {
  shown = organizationId;
};

/** The session may have been switched in another window: the api refuses a call that names another organization. */
export const organizationHeaders = (): Record<string, string> =>
  shown === null ? {} : { [organizationHeader]: shown };
