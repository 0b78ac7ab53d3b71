// The health check of a container: succeeds while the process in it is ready. Plain JavaScript, so that it
// starts as fast as Node does.
const ports = {
  api: process.env.PORT || 4000,
  worker: process.env.WORKER_PORT || 4001,
  public: process.env.PUBLIC_PORT || 4003,
};
const port = ports[process.argv[2]];
if (port === undefined) fail("Usage: health api|worker|public");
try {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  if (!response.ok) fail(`${response.status} ${await response.text()}`);
} catch (error) {
  fail(`Nothing answers on port ${port}: ${error.cause?.message ?? error.message}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
