import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { queryClient } from "../api.ts";
import { styleNonce } from "./nonce.ts";
import { router } from "./router.tsx";
import { theme } from "./theme.ts";

export const App = () => (
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
    deduplicateInlineStyles
  >
    <QueryClientProvider client={queryClient}>
      <Notifications position="bottom-right" withinPortal={false} />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
);
