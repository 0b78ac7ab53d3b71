import { useLocation } from "@tanstack/react-router";

/** The token of a link. It is in the fragment, which browsers do not send, so it does not get into server logs. */
export const useToken = (): string => useLocation({ select: ({ hash }) => hash });
