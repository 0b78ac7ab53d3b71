import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app/styles.ts";
import { App } from "./app/app.tsx";
import { cachePageData } from "./app/page-data.ts";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root.");
cachePageData();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
