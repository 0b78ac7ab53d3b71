// Addresses of pages, for links that are made from data.

export const queryHref = (queryId: string): string => `/queries/${queryId}`;
export const referenceHref = (shortId: string): string => `/q/${shortId}`;
/** The queries in a folder. */
export const folderHref = (folderId: string): string => `/queries?folder=${folderId}`;
export const automationHref = (automationId: string): string => `/automations/${automationId}`;
export const dashboardHref = (dashboardId: string): string => `/dashboards/${dashboardId}`;
export const chatHref = (shortId: string): string => `/chats/${shortId}`;
export const endpointHref = (endpointId: string): string => `/settings/webhooks/endpoints/${endpointId}`;

export const destinationHref = (id: string): string => `/settings/destinations/${id}`;

/** An endpoint's URL without `https://`. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, "");
