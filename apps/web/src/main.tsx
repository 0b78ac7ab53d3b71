import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import "./app/styles.ts";
import { queryClient } from "./api.ts";
import { styleNonce } from "./app/nonce.ts";
import { cachePageData } from "./app/page-data.ts";
import { router } from "./app/router.tsx";
import { theme } from "./app/theme.ts";

/** Drawn after the first paint. What is shown before waits for it. */
function LaterNotifications() {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDrawn(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return isDrawn && <Notifications position="bottom-right" withinPortal={false} />;
}

const App = () => (
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
    deduplicateInlineStyles
  >
    <QueryClientProvider client={queryClient}>
      <LaterNotifications />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
);

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root.");
cachePageData();
// Rendered once the page is loaded: the heading that the api wrote into it stays until the whole page takes its place. After
// half a second, or two if there is a heading to read, the page shows that it is loading. To draw that and then the page
// takes longer than the page alone.
const patienceMs = root.firstElementChild ? 2_000 : 500;
void Promise.race([router.load(), new Promise((done) => setTimeout(done, patienceMs))]).then(() =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
