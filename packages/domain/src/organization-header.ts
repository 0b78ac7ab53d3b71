/** The organization that the client expects. The api refuses the call if the session is in another one. */
export const organizationHeader = "querybell-organization";
