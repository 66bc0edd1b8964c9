import { type Connection, fill, openHttp1, openSocket, requestText } from './connection.ts';
import { openHttp2 } from './http2.ts';
import { median } from '../row.ts';
import type { Job, JobAnswer, RateJob, WatchJob } from './job.ts';

// Entry point of the load process. It runs jobs one by one, replies to each with its result, and exits with
// its parent.
process.on('message', (job: Job) => {
  run(job).then(
    (value) => answer({ value }),
    (thrown: unknown) => answer({ error: thrown instanceof Error ? thrown.message : String(thrown) }),
  );
});
process.on('disconnect', () => process.exit());

const answer = (message: JobAnswer): void => void process.send?.(message);
const run = (job: Job): Promise<number> => (job.kind === 'rate' ? rate(job) : watch(job));

/** Returns the responses per second. Requests in flight at the end are not counted. */
async function rate({ place, protocol, connections, streams, ask, ms }: RateJob): Promise<number> {
  const open: Connection[] = [];
  let answers = 0;
  let ended = false;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => {});
  for (let number = 0; number < connections; number++) {
    const connection = await (protocol === 'h2' ? openHttp2 : openHttp1)(place, {
      onAnswer: () => {
        if (ended) return;
        answers += 1;
        connection.ask(fill(ask, number));
      },
      onFailure: (why) => fail(new Error(`${ask.method} ${ask.path}: ${why}`)),
    });
    open.push(connection);
  }
  try {
    const from = performance.now();
    for (const [number, connection] of open.entries())
      for (let stream = 0; stream < streams; stream++) connection.ask(fill(ask, number));
    await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, ms))]);
    return (answers * 1000) / (performance.now() - from);
  } finally {
    ended = true;
    for (const connection of open) connection.close();
  }
}

/**
 * Returns the median time in milliseconds from the request of a change until the last watcher has received
 * it.
 */
async function watch({ place, watchers, path, change, warmUp, changes }: WatchJob): Promise<number> {
  const opened: (() => void)[] = [];
  const sockets = [];
  let seen = 0;
  let reached: () => void = () => {};
  for (let number = 0; number < watchers; number++) {
    const socket = await openSocket(place, 'http/1.1');
    sockets.push(socket);
    let isOpen = false;
    const ready = new Promise<void>((resolve) => opened.push(resolve));
    socket.on('data', (chunk: Buffer) => {
      if (!isOpen && chunk.includes('HTTP/1.1 200')) {
        isOpen = true;
        opened[number]?.();
      }
      for (let at = chunk.indexOf(MODIFIED); at >= 0; at = chunk.indexOf(MODIFIED, at + 1)) {
        seen += 1;
        if (seen === watchers) reached();
      }
    });
    socket.write(requestText({ method: 'GET', path }), 'latin1');
    await ready;
  }
  let failure: Error | undefined;
  const writer = await openHttp1(place, {
    onAnswer: () => {},
    onFailure: (why) => {
      failure = new Error(why);
      reached();
    },
  });
  const took: number[] = [];
  for (let made = 0; made < warmUp + changes; made++) {
    seen = 0;
    const all = new Promise<void>((resolve) => (reached = resolve));
    const from = performance.now();
    writer.ask(fill(change, 0));
    await all;
    if (failure) throw failure;
    if (made >= warmUp) took.push(performance.now() - from);
  }
  writer.close();
  for (const socket of sockets) socket.destroy();
  return median(took);
}

const MODIFIED = '"type":"MODIFIED"';
