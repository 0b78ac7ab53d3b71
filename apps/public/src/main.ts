import { setPriority } from "node:os";
import { runUntilStopped } from "@querybell/process";
import { startPublic } from "./start.ts";

// Visitors come after the people who work with Querybell: while processors are scarce, this process gets about a quarter of
// what an api gets.
setPriority(6);
await runUntilStopped(startPublic);
