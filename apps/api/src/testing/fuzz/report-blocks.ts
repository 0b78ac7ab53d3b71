// Loaded into the api's process. It writes a line for each time that the event loop was blocked, in milliseconds of the
// thread's CPU time: on a busy machine an idle thread is late too.

const tickEveryMs = 5;
const reportedFromMs = 30;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let before = cpuMs();
setInterval(() => {
  const now = cpuMs();
  if (now - before >= reportedFromMs) process.stderr.write(`blocked for ${Math.round(now - before)} ms\n`);
  before = now;
}, tickEveryMs).unref();
