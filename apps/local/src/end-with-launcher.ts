// Loaded into a program that is not ours to change: it ends when the one that started it is gone, however it went.
process.once("disconnect", () => process.exit());
