/** With it, a client names the organization that it means. The api refuses the call if the session is in another one. */
export const organizationHeader = "querybell-organization";
