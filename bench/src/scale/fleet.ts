// A simulation of a fleet, in steps of a millisecond, driven by measured costs. Events arrive at random for 10,000
// endpoints; each endpoint is held by one worker, as in the product. A worker has one thread and so many attempts in
// flight; every outcome is recorded in one database. Nothing else is modelled: no network, no failing endpoints.

interface Costs {
  /** Processor time of a worker for a delivery. */
  cpuMs: number;
  /** Processor time of the database for a delivery. */
  databaseMs: number;
}

export interface SimulatedFleet {
  workers: number;
  /** The most deliveries a second at which 99 of 100 start within `acceptableWaitMs`. */
  perSecond: number;
  /** The share of their time in which the busiest worker and the database compute. */
  workerBusy: number;
  databaseBusy: number;
  /** Of one worker alone there is none: its deliveries wait until another worker starts. */
  longestWaitAfterKillS?: number;
}

const endpoints = 10_000;
const databaseCores = 8;
const slots = 256;
const answerMs = 50;
const leaseMs = 12_000;
/** A worker starts nothing more while this many of its outcomes wait to be recorded. */
const maxUnrecorded = 1_000;
const acceptableWaitMs = 250;
const simulatedMs = 10_000;

interface Worker {
  /** The share of all events that are for endpoints of this worker. */
  share: number;
  /** Events that wait, by the millisecond in which they came. */
  waiting: { since: number; count: number }[];
  inFlight: number;
  /** Attempts that end in a millisecond, modulo the time of an answer. */
  ending: number[];
  unrecorded: number;
  cpuCredit: number;
  busyMs: number;
  isKilled: boolean;
}

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function poisson(random: () => number, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

/** Endpoints go to workers at random. With a skew of 0 all have the same traffic; with 1, the n-th has 1/n of the first's. */
function createWorkers(count: number, skew: number, random: () => number): Worker[] {
  const workers = Array.from({ length: count }, () => ({
    share: 0,
    waiting: [],
    inFlight: 0,
    ending: Array.from({ length: answerMs }, () => 0),
    unrecorded: 0,
    cpuCredit: 0,
    busyMs: 0,
    isKilled: false,
  }));
  const traffic = Array.from({ length: endpoints }, (_, index) => (index + 1) ** -skew);
  const total = traffic.reduce((sum, each) => sum + each, 0);
  for (const each of traffic) {
    const worker = workers[Math.floor(random() * count)];
    if (worker) worker.share += each / total;
  }
  return workers;
}

function start(worker: Worker, now: number, cpuMs: number, waits: Map<number, number>): void {
  worker.cpuCredit = Math.min(worker.cpuCredit + 1, 1 + cpuMs);
  for (;;) {
    const [oldest] = worker.waiting;
    const isFull = worker.inFlight >= slots || worker.unrecorded >= maxUnrecorded;
    if (oldest === undefined || isFull || worker.cpuCredit < cpuMs) return;
    worker.cpuCredit -= cpuMs;
    worker.busyMs += cpuMs;
    worker.inFlight += 1;
    const end = now % answerMs;
    worker.ending[end] = (worker.ending[end] ?? 0) + 1;
    const wait = now - oldest.since;
    waits.set(wait, (waits.get(wait) ?? 0) + 1);
    oldest.count -= 1;
    if (oldest.count === 0) worker.waiting.shift();
  }
}

interface Simulation extends Costs {
  workers: number;
  skew: number;
  perSecond: number;
  /** Kills the first worker after a second; the others take its endpoints when its lease has run out. */
  withKill?: boolean;
}

function simulate({ workers: count, skew, perSecond, cpuMs, databaseMs, withKill = false }: Simulation) {
  const random = createRandom(1);
  const workers = createWorkers(count, skew, random);
  const waits = new Map<number, number>();
  let databaseCredit = 0;
  let databaseBusyMs = 0;
  const killAt = 1_000;
  const untilMs = withKill ? killAt + leaseMs + simulatedMs : simulatedMs;
  for (let now = 0; now < untilMs; now++) {
    const [first] = workers;
    if (withKill && first && now === killAt) first.isKilled = true;
    if (withKill && first && now === killAt + leaseMs) takeOver(first, workers.slice(1));
    databaseCredit = Math.min(databaseCredit + databaseCores, databaseCores + databaseMs);
    for (const worker of workers) {
      const end = now % answerMs;
      const ended = worker.ending[end] ?? 0;
      worker.ending[end] = 0;
      worker.inFlight -= ended;
      worker.unrecorded += ended;
      const recorded = Math.min(worker.unrecorded, Math.floor(databaseCredit / databaseMs));
      worker.unrecorded -= recorded;
      databaseCredit -= recorded * databaseMs;
      databaseBusyMs += recorded * databaseMs;
      const came = poisson(random, (perSecond * worker.share) / 1000);
      if (came > 0) worker.waiting.push({ since: now, count: came });
      if (!worker.isKilled) start(worker, now, cpuMs, waits);
    }
  }
  const stillWaiting = workers.map(({ waiting: [oldest] }) => (oldest ? untilMs - oldest.since : 0));
  return {
    p99Ms: percentileOfCounts(waits, 99),
    longestMs: waits.keys().reduce((longest, wait) => Math.max(longest, wait), Math.max(...stillWaiting)),
    workerBusy: Math.max(...workers.map(({ busyMs }) => busyMs)) / untilMs,
    databaseBusy: databaseBusyMs / databaseCores / untilMs,
  };
}

function takeOver(killed: Worker, others: Worker[]): void {
  for (const other of others) {
    other.share += killed.share / others.length;
    for (const { since, count } of killed.waiting) {
      other.waiting.push({ since, count: Math.ceil(count / others.length) });
    }
    other.waiting.sort((a, b) => a.since - b.since);
  }
  killed.share = 0;
  killed.waiting = [];
}

function percentileOfCounts(counts: Map<number, number>, percent: number): number {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const rank = (sorted.reduce((sum, [, count]) => sum + count, 0) * percent) / 100;
  let seen = 0;
  for (const [value, count] of sorted) {
    seen += count;
    if (seen >= rank) return value;
  }
  return Number.NaN;
}

/** Finds by bisection what so many workers can take. */
function highestRate(fleet: Omit<Simulation, "perSecond">): number {
  let [low, high] = [0, (1.2 * fleet.workers * 1000) / fleet.cpuMs];
  for (let step = 0; step < 10; step++) {
    const middle = (low + high) / 2;
    const { p99Ms, longestMs } = simulate({ ...fleet, perSecond: middle });
    if (p99Ms <= acceptableWaitMs && longestMs <= 4 * acceptableWaitMs) low = middle;
    else high = middle;
  }
  return low;
}

export function simulateFleet({ cpuMs, databaseMs }: Costs, skew: number): SimulatedFleet[] {
  return [1, 2, 4, 8, 16, 32, 50].map((workers) => {
    const fleet = { workers, skew, cpuMs, databaseMs };
    const perSecond = highestRate(fleet);
    const { workerBusy, databaseBusy } = simulate({ ...fleet, perSecond });
    const found = { workers, perSecond, workerBusy, databaseBusy };
    if (workers === 1) return found;
    // With room for the work of the killed one, as an operator would leave.
    const { longestMs } = simulate({ ...fleet, perSecond: perSecond / 2, withKill: true });
    return { ...found, longestWaitAfterKillS: longestMs / 1000 };
  });
}
