import { useLocation } from "@tanstack/react-router";

/** The token of a link. It comes after the #, which browsers never send: so it stays out of every log on the way. */
export const useToken = (): string => useLocation({ select: ({ hash }) => hash });
