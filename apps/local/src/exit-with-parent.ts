// Preloaded into the example receiver: exits when the parent process has ended, even if it was killed.
process.once("disconnect", () => process.exit());
